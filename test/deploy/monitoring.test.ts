import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { createRegistry } from '../../src/server/metrics/registry.ts';

/** The questions of `lockhound health`, of which each has a verdict, with the alert rules of `deploy/prometheus` that watch it. */
const HEALTH_PARTS = {
  flow: ['RedisDown', 'Down', 'NoWorker', 'StandsStill', 'QueueLate'],
  runs: [
    'JobsFailed',
    'AlertsNotDelivered',
    'AlertsWait',
    'ReceiverRefuses',
    'SourcesUnreadable',
    'LedgersNotArchived',
    'PayloadsRejected',
  ],
  facts: ['FactsOld'],
  telemetry: ['TracesLost'],
  limits: ['RateLimited', 'RedisMemory', 'EventLoopLate'],
} as const;

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');
const RULES = join(DEPLOY, 'prometheus', 'alerts.yml');
const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;

const RULE_TESTS = ['alert-rules.test.yml', 'alert-rules-of-days.test.yml'].map((name) =>
  join(import.meta.dirname, name),
);

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly unknown[];
    }[];
  }[];
}

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const rules = (parse(readFileSync(RULES, 'utf8')) as RuleFile).groups.flatMap((group) => group.rules);
const dashboard: Dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana', 'lockhound.json'), 'utf8'));
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

const metrics = createRegistry();
const all = metrics.registry.getMetricsAsArray() as unknown as readonly {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}[];
const byName = new Map(all.map((one) => [one.name, one]));

it('each alert rule watches one question of `lockhound health`', () => {
  const watched = Object.values(HEALTH_PARTS).flat();
  expect(rules.map(({ alert }) => alert).sort()).toEqual(watched.map((name) => `Lockhound${name}`).sort());
});

/** The names of metrics in a query, without the ending of a histogram. */
function namesIn(expr: string): readonly string[] {
  return [...expr.matchAll(/\b(?:lockhound|nodejs|process)_\w+/g)].map(([name]) =>
    byName.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ''),
  );
}

describe('the dashboard and the alert rules', () => {
  it.each(queries)('%s uses metrics and labels that exist', (_title, expr) => {
    const names = namesIn(expr);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !byName.has(name))).toEqual([]);
    const known = new Set(names.flatMap((name) => byName.get(name)?.labelNames ?? []));
    // Prometheus adds `job`, `instance` and the `le` of histograms.
    for (const label of ['job', 'instance', 'le']) known.add(label);
    const used = [...expr.matchAll(/\b(?:by|without) \(([^)]*)\)|(\w+)\s*(?:=~|!=|=)\s*"/g)].flatMap(
      ([, grouped, one]) => (grouped ?? one ?? '').split(',').map((label) => label.trim()),
    );
    expect(used.filter((label) => !known.has(label))).toEqual([]);
  });

  it('show or watch every metric of Lockhound', () => {
    const used = new Set(queries.flatMap(([, expr]) => namesIn(expr)));
    expect([...byName.keys()].filter((name) => name.startsWith('lockhound_') && !used.has(name))).toEqual([]);
  });

  it('say for each alert what happened and what to do', () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const { labels, annotations } of rules) {
      expect(labels['severity']).toMatch(/^(?:critical|warning)$/);
      expect(Object.keys(annotations)).toEqual(['summary', 'action']);
    }
  });

  it('never divide or rate a gauge', () => {
    for (const [, expr] of queries) {
      for (const [, name = ''] of expr.matchAll(/\b(?:rate|increase)\((\w+)/g)) {
        expect(byName.get(name.replace(/_bucket$/, ''))?.type, name).toMatch(/^(?:counter|histogram)$/);
      }
    }
  });

  it('have a test with the fault of each alert', () => {
    const tests = RULE_TESTS.flatMap((file) => (parse(readFileSync(file, 'utf8')) as RuleTests).tests);
    const raised = tests.flatMap((one) =>
      one.alert_rule_test.flatMap(({ alertname, exp_alerts: expected }) =>
        expected.length > 0 ? [alertname] : [],
      ),
    );
    expect(new Set(raised)).toEqual(new Set(rules.map(({ alert }) => alert)));
  });

  it.skipIf(!HAS_PROMTOOL)('pass `promtool test rules` (Debian: prometheus)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rules-'));
    try {
      // promtool compares annotations too, and what they say is no subject of these tests.
      const bare = rules.map(({ annotations: _annotations, ...rule }) => rule);
      writeFileSync(join(folder, 'alerts.yml'), stringify({ groups: [{ name: 'lockhound', rules: bare }] }));
      for (const file of RULE_TESTS) copyFileSync(file, join(folder, basename(file)));
      const args = ['test', 'rules', ...RULE_TESTS.map((file) => basename(file))];
      const run = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
      expect(run.status, run.stdout + run.stderr).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!HAS_PROMTOOL)('pass `promtool check rules` (Debian: prometheus)', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});
