import type { Ports } from '../../../src/jobs/ports.ts';
import type {
  OpenTarget,
  Schedule,
  ScheduleRunReport,
  WatchedTarget,
  WatchUpdate,
} from '../../../src/model/watch/schedule.ts';
import type { SourceReading } from '../../../src/model/watch/source.ts';

export const SOURCE = { kind: 'git', repository: '/srv/shop.git', ref: 'HEAD', exclude: [] } as const;

export const SCHEDULE: Schedule = {
  name: 'acme',
  source: { kind: 'git', repositories: [{ url: '/srv/shop.git' }], ref: 'HEAD', exclude: [] },
  labels: { team: 'web' },
  times: { everyMs: 3_600_000 },
  jitterMs: 0,
  origin: 'configuration',
  paused: false,
};

/** The records of one schedule in maps. */
export function scheduleRoom(
  given: {
    readonly schedule?: Schedule;
    readonly runs?: readonly ScheduleRunReport[];
    readonly open?: Readonly<Record<string, OpenTarget>>;
    readonly targets?: readonly WatchedTarget[];
    readonly reading?: SourceReading;
  } = {},
) {
  const { schedule, runs = [], open = {}, targets = [], reading } = given;
  const updates: WatchUpdate[] = [];
  const port: Ports['schedules'] = {
    find: async () => schedule,
    runs: async () => runs,
    lastStarted: async () => runs[0]?.run,
    countOpen: async () => Object.keys(open).length,
    openTarget: async (_, target) => open[target],
    targets: async () => targets,
    target: async (_, id) => targets.find(({ target }) => target.id === id),
    reading: async () => reading,
    update: async (update) => void updates.push(update),
  };
  return { port, updates };
}
