/**
 * The Lua scripts that decide, one typed class for each, and the connections that carry them.
 * Everything here belongs to one event loop at a time unless it says otherwise.
 */
package io.seckill.lua;
