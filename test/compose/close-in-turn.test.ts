import { expect, it } from 'vitest';
import { closeInTurn } from '../../src/compose/worker.ts';

it('closes the parts behind one that cannot be closed, and throws its error', async () => {
  const closed: string[] = [];
  const part = (name: string, error?: Error) => async (): Promise<void> => {
    closed.push(name);
    if (error !== undefined) throw error;
  };
  const parts = [part('server', new Error('no server')), part('queue', new Error('no queue')), part('redis')];
  await expect(closeInTurn(parts)).rejects.toThrow('no server');
  expect(closed).toEqual(['server', 'queue', 'redis']);
});
