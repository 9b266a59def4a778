import fc from 'fast-check';

/** Any character of Unicode, as `unit: 'binary'` of fast-check, which takes two seconds to make. */
const anyCharacter = fc
  .nat({ max: 0x10_f7ff })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

/** Any text without halves of characters. */
export const anyText = (limits: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ ...limits, unit: anyCharacter });
