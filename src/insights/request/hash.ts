import { ruleError } from './rules.ts';

export type HashType = 'MD5' | 'SHA1' | 'SHA256' | 'SHA512';

/** A content hash as Query expects it: `value` is the Base64 of the raw digest. */
export interface Hash {
  readonly type: HashType;
  readonly value: string;
}

const DIGEST_BYTES: Readonly<Record<HashType, number>> = { MD5: 16, SHA1: 20, SHA256: 32, SHA512: 64 };

/** Reads `sha512:<hex or base64>` and `sha512-<base64>` (Subresource Integrity). Throws `InsightsError` (`invalid`). */
export function readHash(text: string): Hash {
  const [, name = '', value = ''] = /^\s*([A-Za-z0-9-]+?)[:-]\s*([A-Za-z0-9+/_=-]+)\s*$/.exec(text) ?? [];
  const type = name.replace('-', '').toUpperCase();
  if (!isHashType(type)) {
    throw ruleError('hash-form', `${JSON.stringify(text)} is not a hash such as sha512:<hex or base64>`);
  }
  return canonicalHash({ type, value });
}

/** Converts hex to Base64 and checks the length of the digest. Throws `InsightsError` (`invalid`). */
export function canonicalHash({ type, value }: Hash): Hash {
  const bytes = DIGEST_BYTES[type];
  if (bytes === undefined) throw ruleError('hash-form', `${JSON.stringify(type)} is not a type of hash`);
  const hex = new RegExp(`^[0-9a-f]{${bytes * 2}}$`, 'i').test(value);
  // Buffer also reads base64url, and skips other characters: the length shows whether it did.
  const digest = Buffer.from(value, hex ? 'hex' : 'base64');
  const length = hex ? bytes : Math.floor((value.replace(/=+$/, '').length * 3) / 4);
  if (digest.length !== bytes || length !== bytes) {
    throw ruleError(
      'hash-form',
      `a ${type} is ${bytes} bytes: ${bytes * 2} hex digits, or the base64 of the raw digest; ${JSON.stringify(value.slice(0, 200))} is neither`,
    );
  }
  return { type, value: digest.toString('base64') };
}

function isHashType(text: string): text is HashType {
  return Object.hasOwn(DIGEST_BYTES, text);
}
