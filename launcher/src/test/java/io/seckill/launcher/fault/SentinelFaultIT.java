package io.seckill.launcher.fault;

class SentinelFaultIT extends FailoverContract {

  @Override
  RedisServers.Replicated startServers() throws InterruptedException {
    return new SentinelServers();
  }
}
