import { isIPv6 } from 'node:net';

/**
 * The address by which limits know a caller: of IPv6 the network of 64 bits, because one machine may use all addresses in it. `''` for a
 * connection that has ended.
 */
export function callerAddress({
  remoteAddress = '',
}: {
  readonly remoteAddress?: string | undefined;
}): string {
  const plain = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/s, '');
  if (!isIPv6(plain)) return plain;
  // The URL parser writes an address in its only form.
  const [before = '', after = ''] = (URL.parse(`http://[${plain}]/`)?.hostname.slice(1, -1) ?? plain).split(
    '::',
  );
  const parts = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [parts(before), parts(after)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
