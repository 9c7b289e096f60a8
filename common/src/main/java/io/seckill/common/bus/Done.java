package io.seckill.common.bus;

/** Says that it is done, and nothing else. */
public record Done() {}
