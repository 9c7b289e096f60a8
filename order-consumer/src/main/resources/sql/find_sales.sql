SELECT stopped, generation FROM sales_switch WHERE region = ?
