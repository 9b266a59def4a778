import { Redis } from 'ioredis';
import { redisUrls } from '../../compose/redis-connection.ts';
import { messageOf } from '../../model/errors.ts';
import { formatAddresses, parseAddresses, type RedisAddress } from '../../store/redis/address.ts';
import { type Finding, fault, type IndependentCheck, ok, warning } from './check.ts';

const LIMIT_MS = 3_000;

/** Every Sentinel answers, knows the primary, and enough of them agree to promote a replica. Needs no Redis. */
export const sentinels: IndependentCheck = {
  subject: 'redis',
  name: 'sentinels',
  async run({ loaded }) {
    const { url = '' } = loaded.config.redis;
    const addresses = url === '' ? [] : parseAddresses(redisUrls(url, loaded.secrets));
    const all = addresses.filter(({ sentinel }) => sentinel !== undefined);
    if (all.length === 0) return ok('no Sentinels are configured');
    return (await Promise.all(all.map(askOne))).flat();
  },
};

async function askOne(address: RedisAddress): Promise<readonly Finding[]> {
  const { host, port, sentinel, options } = address;
  const where = formatAddresses([address]);
  const client = new Redis({
    ...{
      host,
      port,
      lazyConnect: true,
      connectTimeout: LIMIT_MS,
      commandTimeout: LIMIT_MS,
      retryStrategy: null,
    },
    ...(sentinel?.password === undefined ? {} : { password: sentinel.password }),
    ...(options.tls === undefined ? {} : { tls: { servername: host } }),
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const primary = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', sentinel?.master ?? '');
    if (!Array.isArray(primary)) {
      return fault(`${where} does not monitor ${sentinel?.master}`, 'Correct `redis.master`.');
    }
    const quorum = await client
      .call('SENTINEL', 'CKQUORUM', sentinel?.master ?? '')
      .catch((error: unknown) => messageOf(error));
    const says = `${where} names ${primary.join(':')} as the primary: ${String(quorum)}`;
    return String(quorum).startsWith('OK')
      ? ok(says)
      : warning(says, 'Start more Sentinels: no replica can be promoted.');
  } catch (error) {
    return warning(
      `${where}: ${messageOf(error)}`,
      'Start it, or remove it from `redis.sentinels`; the others are used meanwhile.',
    );
  } finally {
    client.disconnect();
  }
}
