import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFleetCli } from './fleet/fleet-cli.ts';
import { lockhound } from './lockhound.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());

it('creates, lists and revokes tokens', async () => {
  expect((await lockhound(['tokens'])).out).toBe('tokens  none\n');
  const options = ['--name', 'ci', '--role', 'submit', '--targets', 'team-a/*', '--expires', '90d'];
  const { code, out } = await lockhound(['tokens', 'create', ...options]);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^lockhound_[0-9a-f]{12}_[\w-]{43}\n\nThis is shown once\./),
  ]);
  const id = out.slice(10, 22);
  const listed = await lockhound(['tokens']);
  expect(listed.out).toMatch(new RegExp(`^tokens \\(1\\)\n {2}id .*\n {2}${id} +ci +submit +team-a/\\* +20`));
  expect(listed.out).not.toContain(out.slice(23, 40));
  expect((await lockhound(['tokens', 'revoke', id])).out).toBe(`${id} is revoked\n`);
  const again = await lockhound(['tokens', 'revoke', id]);
  expect([again.code, again.note]).toEqual([2, expect.stringContaining(`there is no token ${id}`)]);
  expect((await lockhound(['tokens', 'create', '--name', 'x', '--expires', 'soon'])).code).toBe(2);
});
