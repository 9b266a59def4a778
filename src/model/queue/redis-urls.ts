/**
 * Splits URLs of Redis that are joined by commas. The Sentinels of `redis+sentinel://user:password@a:26379,b:26379/name` become a
 * URL each.
 */
export function redisUrlList(urls: string): readonly string[] {
  const [, scheme, hosts = '', rest = ''] =
    /^(rediss?\+sentinel:\/\/(?:[^@/,]*@)?)([^/?@]+)(\/[^,]*)?$/.exec(urls.trim()) ?? [];
  if (scheme === undefined || !hosts.includes(',')) return urls.split(',');
  return hosts.split(',').map((host) => `${scheme}${host.trim()}${rest}`);
}
