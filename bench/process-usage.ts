import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';

type Process = Pick<ChildProcess, 'pid'>;

/** Resident memory of a running process (Linux), now and at most, in MiB. */
export async function memoryOf({ pid }: Process): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1_024);
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}

/** Processor time of a running process so far, in seconds (Linux: `utime` and `stime` in ticks of 10 ms). */
export async function cpuSecondsOf({ pid }: Process): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
