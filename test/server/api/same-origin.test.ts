import { describe, expect, it } from 'vitest';
import { callerAddress } from '../../../src/server/api/auth/request-rates.ts';
import { requireSameOrigin } from '../../../src/server/api/auth/session-cookie.ts';

const host = 'lockhound.example:8705';

describe('the origin of a request', () => {
  it.each([
    ['none', 'null', undefined],
    ['none, with a public URL', 'null', 'https://lockhound.example'],
    ['nothing', '', undefined],
    ['a sister host', 'http://evil.example:8705', undefined],
    ['another port', 'http://lockhound.example:1', undefined],
    ['another scheme than that of the public URL', `http://${host}`, `https://${host}`],
    ['no http', 'file://lockhound.example:8705', undefined],
    ['a user name', `http://x@${host}`, undefined],
    ['a path', `http://${host}/x`, undefined],
    ['two origins', `http://${host} http://evil.example`, undefined],
  ])('is foreign for %s', (_what, origin, publicUrl) => {
    for (const method of ['GET', 'POST']) {
      expect(() => requireSameOrigin(method, { host, origin }, publicUrl)).toThrow('other web sites');
    }
  });

  it.each([
    [`http://${host}`, undefined],
    [`https://${host}`, undefined],
    ['https://public.example', 'https://public.example/'],
    [`http://${host}`, 'https://public.example'],
  ])('is own: %s', (origin, publicUrl) => {
    expect(() => requireSameOrigin('POST', { host, origin }, publicUrl)).not.toThrow();
  });

  it('is foreign without a host', () => {
    expect(() => requireSameOrigin('POST', { origin: 'null' }, undefined)).toThrow('other web sites');
  });
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  [undefined, ''],
])('%s is limited as %s', (remoteAddress, expected) => {
  expect(callerAddress({ remoteAddress })).toBe(expected);
});
