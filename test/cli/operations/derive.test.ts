import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { bodyOf, hasOtherBody, parametersOf, withParameters } from '../../../src/cli/operations/derive.ts';
import { readBundledDescription } from '../../../src/discovery/bundled.ts';
import { findMethod } from '../../../src/discovery/description/methods.ts';

const document = await readBundledDescription('lockhound.v1');

/** The parameters and the body of a method from what a person types. */
async function typed(id: string, words: readonly string[], args: readonly string[] = [], each?: string) {
  const method = findMethod(document, id);
  const command = withParameters(new Command().exitOverride(), document, method, { args, each, made: [] });
  command.configureOutput({ writeErr: () => {} });
  if (hasOtherBody(document, method, [])) command.requiredOption('--data <file>');
  let found: unknown;
  command.action(async (...all: unknown[]) => {
    const given = { args: all.slice(0, -2), options: all.at(-2) as Record<string, unknown> };
    const params = parametersOf(document, method, given, args);
    found = { params, body: await bodyOf(document, method, given, { args, made: [] }) };
  });
  await command.parseAsync([...words], { from: 'user' });
  return found as { readonly params: object; readonly body: unknown };
}

describe('a command of a method', () => {
  it('has the properties of the body as options, lists and labels too', async () => {
    const token = ['--name', 'ci', '--role', 'read', '--targets', 'a/*,b', '--expires', '90d'];
    const { body } = await typed('lockhound.tokens.create', token);
    expect(body).toEqual({ name: 'ci', role: 'read', targets: ['a/*', 'b'], expires: '90d' });
    const added = await typed('lockhound.suppressions.add', [
      ...['--reason', 'no', '--all', '-l', 'team=a=b', '--label', 'tier=1'],
    ]);
    expect(added.body).toEqual({ reason: 'no', all: true, labels: { team: 'a=b', tier: '1' } });
  });

  it('refuses a body without what is required, and other choices', async () => {
    await expect(typed('lockhound.tokens.create', ['--role', 'read'])).rejects.toThrow('--name');
    await expect(typed('lockhound.tokens.create', ['--name', 'ci', '--role', 'boss'])).rejects.toThrow(
      'boss',
    );
  });

  it('has arguments: of the path, others that are named, and one with several values', async () => {
    const one = await typed('lockhound.tokens.create', ['ci', '--role', 'read'], ['name']);
    expect(one.body).toEqual({ name: 'ci', role: 'read' });
    const several = await typed('lockhound.deliveries.retry', ['msg_1', 'msg_2'], ['delivery']);
    expect(several).toEqual({ params: { delivery: ['msg_1', 'msg_2'] }, body: undefined });
  });

  it('reads a body that cannot be typed from a file', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'derive-')), 'data.json');
    await writeFile(file, '{"source":{"kind":"git"}}');
    const words = ['--name', 'shop', '--data', file];
    const { params, body } = await typed('lockhound.schedules.add', [...words, '--replace']);
    expect({ params, body }).toEqual({
      params: { replace: 'true' },
      body: { name: 'shop', source: { kind: 'git' } },
    });
    await writeFile(file, '{');
    await expect(typed('lockhound.schedules.add', words)).rejects.toThrow('--data');
  });
});
