import { describe, expect, it } from 'vitest';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { readHttpUrl, readPlainUrl, readRepositoryAddress } from '../../src/model/watch/source-url.ts';

const repository = (text: string): string => {
  const place = readRepositoryAddress(text);
  return 'expected' in place ? `refused: ${place.expected}` : place.address;
};

describe('the address of a repository', () => {
  it.each([
    ['a backslash, which HTTP reads as a slash and git does not', 'http://8.8.8.8\\@127.0.0.1/x.git'],
    ['only backslashes', 'https:\\\\git.example\\x'],
    ['a percent-encoded slash', 'https://git.example/org/..%2fsecret/x'],
    ['the same in capitals', 'https://git.example/org/..%2Fsecret/x'],
    ['a percent-encoded backslash', 'https://git.example/org/..%5csecret'],
    ['a twice encoded dot', 'https://git.example/org/%252e%252e/x'],
    ['an encoded line break', 'https://git.example/org/%0ax'],
    ['an encoded zero', 'https://git.example/org/%00'],
    ['bytes that are no UTF-8', 'https://git.example/org/%c0%af'],
    ['a slash in full width', 'https://git.example/org/..%ef%bc%8fsecret'],
    ['dots that some servers read as the parent', 'https://git.example/org/..;x/secret'],
    ['an empty user name', 'https://@git.example/x'],
    ['an empty user name and password', 'https://:@git.example/x'],
    ['a user name', 'https://8.8.8.8@127.0.0.1/x'],
    ['one slash, which git reads as a host named http', 'http:/127.0.0.1/x'],
    ['a tab, which the parser drops', 'https://git.exa\tmple/x'],
    ['a query', 'https://git.example/x?y'],
    ['a fragment', 'https://git.example/x#y'],
    ['another program', 'ext::sh -c x'],
    ['another program without spaces', 'ext::sh'],
    ['a file', 'file:///etc'],
    ['git without ssh', 'git://git.example/x'],
    ['an option as host', 'ssh://-oProxyCommand=x/y'],
    ['an option as user', 'ssh://-oProxyCommand=x@git.example/y'],
    ['an option as user of the short form', '-oProxyCommand=x@git.example:y'],
    ['an option as path', 'git@git.example:-x'],
    ['an option as path of a URL', 'ssh://git.example/-x'],
    ['an encoded host, which git decodes', 'ssh://git%40127.0.0.1%2f@git.example/x'],
    ['a password for ssh', 'ssh://git:secret@git.example/x'],
    ['brackets as git once read them', 'ssh://[git@git.example:22]:/x'],
    ['a port that is none', 'ssh://git.example:22x/y'],
    ['a shell in the host', 'ssh://$(touch x)/y'],
    ['a shell in the host of the short form', 'git@`x`:y'],
  ])('is refused for %s', (_what, text) => {
    expect(repository(text)).toMatch(/^refused: /);
  });

  it.each([
    ['https://Git.Example:443/org/shop.git', 'https://git.example/org/shop.git'],
    ['https://git.example./org/x', 'https://git.example/org/x'],
    ['https://git.example/org/%2e%2e/x', 'https://git.example/x'],
    ['https://git.example/a b'.replace(' ', '%20'), 'https://git.example/a%20b'],
    ['https://größe.example/x', 'https://xn--gre-6ka8i.example/x'],
    ['http://2130706433/x', 'http://127.0.0.1/x'],
    ['http://0x7f.0.0.1/x', 'http://127.0.0.1/x'],
    ['http://0177.1/x', 'http://127.0.0.1/x'],
    ['http://127.0.0.1./x', 'http://127.0.0.1/x'],
    ['http://１２７.0.0.1/x', 'http://127.0.0.1/x'],
    ['ssh://git@2130706433/x', 'ssh://git@127.0.0.1/x'],
    ['ssh://Git.Example:2222/x', 'ssh://git.example:2222/x'],
    ['git@Git.Example:org/shop.git', 'git@git.example:org/shop.git'],
    ['/srv/git/shop', '/srv/git/shop'],
  ])('%s goes on as %s', (text, expected) => {
    expect(repository(text)).toBe(expected);
    expect(repository(expected)).toBe(expected);
  });
});

it('keeps an encoded slash in a URL that nobody compares with a pattern', () => {
  const text = 'https://git.example/api/v4/projects/org%2Fshop/raw?ref=main';
  expect(readHttpUrl(text)).toMatchObject({ href: text });
  expect(readPlainUrl(text)).toHaveProperty('expected');
});

describe('no notation of a private address passes the guard', () => {
  const guard = publicAddressesOnly();
  it.each([
    ...['127.0.0.1', '2130706433', '0x7f000001', '017700000001', '127.1', '0', '169.254.169.254'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:0:127.0.0.1]', '[::127.0.0.1]', '[::ffff:8.8.8.8]'],
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]'],
    ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[100::1]'],
  ])('%s', (host) => {
    const url = readHttpUrl(`http://${host}/`);
    if ('expected' in url) throw new Error(url.expected);
    const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
    expect(guard(address, address)).toBe(false);
  });
});
