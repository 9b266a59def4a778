import { expect, it } from 'vitest';
import { requireValidRequest } from '../../../src/commands/scanning/valid-request.ts';

it.each([
  ['no name', { id: '' }],
  ['a control character in its name', { id: 'a\u001b[2J' }],
  ['a name that is too long', { id: 'a'.repeat(201) }],
  ['an empty label', { id: 'a', labels: { '': 'x' } }],
])('a scan of a target with %s is refused', (_what, target) => {
  expect(() => requireValidRequest(target, undefined)).toThrow(
    expect.objectContaining({ code: 'invalid-request', message: expect.stringMatching(/^target/) }),
  );
});

it.each([[{ id: 'shop' }], [{ id: 'größe/ünïcode' }], [{ id: 'shop', labels: { team: 'one' } }]])(
  'a scan of the target %j is accepted',
  (target) => expect(() => requireValidRequest(target, undefined)).not.toThrow(),
);
