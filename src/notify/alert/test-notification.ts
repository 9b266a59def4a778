import type { Notification, NotificationMode } from '../../model/alert/notification.ts';
import { endsAlert, type Transition } from '../../model/scan/transition.ts';

export interface TestAlert {
  readonly route: string;
  readonly mode: NotificationMode;
  readonly id: string;
  /** RFC 3339. */
  readonly date: string;
  readonly transition: Transition;
}

/** The result of a test alert. Holds no secret. */
export interface WebhookTest {
  readonly route: string;
  readonly id: string;
  readonly delivered: boolean;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
  /** First KiB of the answer. */
  readonly answer?: string | undefined;
  /** Why it was not delivered. */
  readonly reason?: string | undefined;
  /**
   * The objects that were used as the platform has them, and not as they are configured (`notify.drift: keep`): a
   * sentence for each object.
   */
  readonly kept?: readonly string[] | undefined;
}

/** A notification marked as a test, with one change of a package that does not exist. */
export function testNotification({ route, mode, id, date, transition }: TestAlert): Notification {
  const name = 'lockhound-test-package';
  const finding = {
    // Constant, so that a `resolved` test closes the alert of an `opened` test.
    fingerprint: '0'.repeat(32),
    rule: 'test',
    level: 'alert',
    severity: 'low',
    title: 'Test alert from Lockhound: no action required',
    package: {
      ecosystem: 'npm',
      name,
      version: '0.0.0',
      purl: `pkg:npm/${name}@0.0.0`,
      direct: true,
      groups: [],
    },
    locations: [{ path: 'package-lock.json', line: 1, dependencyPath: [] }],
    advice: 'None: this is a test.',
  } as const;
  const open = endsAlert(transition) ? 0 : 1;
  return {
    id,
    route,
    mode,
    scan: 'lockhound-test',
    target: { id: 'lockhound-test', labels: { test: 'true' } },
    date,
    changes: [{ transition, finding, ...(transition === 'worsened' ? { previousSeverity: 'none' } : {}) }],
    open: { critical: 0, high: 0, medium: 0, low: open, none: 0, unrated: 0 },
    gaps: 0,
    test: true,
  };
}
