import { execFileSync } from 'node:child_process';

/** Writes what the sources import and is generated, so that a fresh clone and a changed document need no other command. */
export function setup(): void {
  execFileSync(process.execPath, ['scripts/generate.ts', '--code'], { stdio: 'inherit' });
}
