import { readFileSync } from 'node:fs';
import { type PlantedFile, ROOT } from './plant.ts';

/** A fault that Lockhound had, as a change of the sources of today that plants it again. */
export interface FormerFault {
  readonly name: string;
  /** What happened. */
  readonly what: string;
  readonly changes: readonly FormerText[];
}

interface FormerText {
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly now: string;
  readonly former: string;
}

export const FORMER_FAULTS: readonly FormerFault[] = [
  {
    name: 'blocked-lane',
    what: 'Redis lost the close of a delivery that its queue had completed: its lane waited for it for ever',
    changes: [
      {
        file: 'src/workers/reconciler.ts',
        now: 'if (open !== undefined) await restoreJob(context, open);',
        former: 'if (open !== undefined && open.lane === undefined) await restoreJob(context, open);',
      },
    ],
  },
  {
    name: 'unqueued-follow-ups',
    what: 'a worker died after it had saved an outcome: nobody queued what follows',
    changes: [
      {
        file: 'src/workers/run-job.ts',
        now: 'return follows.length === 0;',
        former: 'return follows !== undefined;',
      },
      {
        file: 'src/workers/reconciler.ts',
        now: 'if (unqueued.length > 0) await wait();',
        former: 'unqueued.length = 0;',
      },
    ],
  },
  {
    name: 'lost-outcome',
    what: 'a failover lost the outcome of a job that its worker then closed: nobody ran the job again',
    changes: [
      {
        file: 'src/store/outcomes/open-jobs.ts',
        now: "  if redis.call('EXISTS', KEYS[at]) == 0 then\n    return {0}\n  end\n",
        former: '',
      },
    ],
  },
  {
    name: 'held-schedule',
    what: 'a worker died between the claim of a start and the write of the next one: no other worker claimed the start',
    changes: [
      {
        file: 'src/workers/schedules.ts',
        now: 'lockDuration: lockDurationMs,\n      stalledInterval: lockDurationMs,',
        former: 'skipStalledCheck: true,',
      },
    ],
  },
  {
    name: 'late-claim',
    what: 'a part that ran again after the end of its refresh claimed it again: the next ones were skipped',
    changes: [
      {
        file: 'src/jobs/refresh/refresh-facts.ts',
        now: 'return { ...claimOf(header), onlyHeld: true };',
        former: 'return claimOf(header);',
      },
      {
        file: 'src/store/fleet/fleet.ts',
        now: 'return (await lastRefresh(cadence))?.refresh === holder ? undefined : holder;',
        former: 'return holder;',
      },
    ],
  },
  {
    name: 'repeated-verdict-id',
    what: 'a target was judged again after its facts had changed: its deliveries had the ids of the first verdict, and counted as sent',
    changes: [
      {
        file: 'src/jobs/refresh/judge-target.ts',
        now: `)}.\${state.revision}\`,`,
        former: ')}`,',
      },
    ],
  },
];

/** Throws when a text does not occur exactly once: the sources have moved, and the fault has to be written anew. */
export function plantedBy({ name, changes }: FormerFault): readonly PlantedFile[] {
  return [...Map.groupBy(changes, ({ file }) => file)].map(([file, own]) => {
    const text = readFileSync(new URL(file, ROOT), 'utf8');
    const replacements = own.map(({ now, former }) => {
      const start = text.indexOf(now);
      if (start < 0 || text.includes(now, start + 1))
        throw new Error(`former fault "${name}": this text must occur once in ${file}:\n${now}`);
      return { start, end: start + now.length, after: former };
    });
    return { file, replacements };
  });
}
