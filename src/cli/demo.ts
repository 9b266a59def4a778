import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Command } from 'commander';
import type { Demo, DemoAlert } from '../commands/demo/demo.ts';
import { packageFile } from '../files/package-file.ts';
import { requireFreePort } from '../model/listen.ts';
import { printable } from '../model/printable.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { columns, palette } from '../report/layout.ts';
import { renderText } from '../report/text.ts';
import { EXIT } from './program/errors.ts';
import { parsePort } from './program/options.ts';
import { type ProgressLine, progressLine } from './program/progress.ts';
import { type CommandContext, interruptible, type Terminal, untilAborted } from './program/terminal.ts';

const EXAMPLE = packageFile('examples/shop/package-lock.json');
const TARGET = 'shop';

/** Commands to try next, with what they show. */
const NEXT: readonly (readonly [args: string, shows: string])[] = [
  ['demo --serve', 'the live page over a fleet of 12 targets'],
  ['scan --example --json', 'the same findings as JSON'],
  ['scan', 'your own lockfiles against https://api.deps.dev'],
  ['scan --fail-on high', 'an exit code for CI'],
];

export function demoCommand(command: Command, { terminal, exit }: CommandContext): void {
  command
    .option('--serve', 'then keep the live page up, with 12 targets and a year of use, until Ctrl-C')
    .option('--port <port>', 'port of the page (default: 8705; 0: any)', parsePort, 8705)
    .action(async ({ serve = false, port }: Flags) =>
      exit(await interruptible((signal) => demo(terminal, signal, serve ? port : undefined))),
    );
}

interface Flags {
  readonly serve?: boolean;
  readonly port: number;
}

/** Runs and prints the steps of the demo, and serves the page when there is a port. Returns an error code when the number of alerts is not the expected one. */
async function demo(terminal: Terminal, signal: AbortSignal, port: number | undefined): Promise<number> {
  const show = stepPrinter(terminal);
  show.title('Lockhound: a lockfile goes in, an alert comes out. Everything runs on this machine.');
  // A page that cannot be shown ends the demo before its first step.
  if (port !== undefined) await requireFreePort('The page', { host: '127.0.0.1', port });
  const { startDemo } = await import('../commands/demo/demo.ts');
  const running = await startDemo(signal);
  try {
    show.step('Started');
    show.facts(running.facts);
    show.step(`Enqueue examples/shop/package-lock.json for target "${TARGET}", as another service would`);
    const first = await scan(running, show.progress);
    terminal.out(`\n${renderText(first, { colour: terminal.colour, width: terminal.width })}`);
    const alerts = await running.alerts();
    show.step('The alert that the receiver got');
    for (const alert of alerts) show.alert(alert);

    show.step('Enqueue the same lockfile again');
    const second = await scan(running, show.progress);
    const secondAlerts = (await running.alerts()).length;
    show.facts([`${second.verdict.changes.length} changes, ${secondAlerts} alerts`]);

    const published = running.publishAdvisory();
    show.step(
      `The insights service publishes ${published.id} (${published.title}). Enqueue the lockfile again`,
    );
    const third = await scan(running, show.progress);
    const thirdAlerts = await running.alerts();
    for (const { transition, finding } of third.verdict.changes) {
      show.facts([`${transition}: ${finding.package.name}@${finding.package.version}, ${finding.severity}`]);
    }
    show.facts([`${thirdAlerts.length} alert: ${thirdAlerts.map(({ id }) => id).join(', ')}`]);
    const isAsExpected = alerts.length === 1 && secondAlerts === 0 && thirdAlerts.length === 1;
    if (!isAsExpected) {
      terminal.out('\nThe number of alerts is not the expected one. Please report this.\n');
      return EXIT.error;
    }
    if (port === undefined) terminal.out(nextText(startedAs(process.argv[1] ?? ''), terminal.width));
    else await serve(running, { port, show, signal });
    return EXIT.clean;
  } finally {
    show.progress.clear();
    await running.close();
  }
}

function nextText(program: string, width: number): string {
  const rows = NEXT.map(([args, shows]) => [`${program} ${args}`, shows]);
  return ['', 'What to try next:', ...columns(rows, { width, indent: '  ' }), ''].join('\n');
}

/** The words that start this program again as it was started, by the path of its main file as it was given. */
export function startedAs(file: string): string {
  if (file.endsWith('.js') || file.endsWith('.ts')) return `node ${relative('', file)}`;
  // npm has the programs of a project there, and those that npx fetched.
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(file) ? 'npx lockhound' : 'lockhound';
}

interface Serving {
  readonly port: number;
  readonly show: ReturnType<typeof stepPrinter>;
  readonly signal: AbortSignal;
}

/** Scans further targets and serves the page over them until the signal aborts. */
async function serve(running: Demo, { port, show, signal }: Serving): Promise<void> {
  show.step('Enqueue the lockfiles of 11 further targets, and serve the live page');
  const { demoFleet } = await import('../commands/demo/demo-fleet.ts');
  for (const { daysAgo, ...one } of demoFleet()) {
    const requestedAt = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const request = { ...one, path: 'package-lock.json', progress: show.progress };
    await running.scan({ ...request, requestedAt });
    // Its findings are open since then, and its last scan is one of today.
    await running.scan(request);
  }
  show.progress.clear();
  const url = await running.serve(port);
  show.facts([`The page is at ${url}/`, 'Ctrl-C ends the demo; its data ends with it.']);
  await untilAborted(signal);
}

async function scan(running: Demo, progress: ProgressLine): Promise<ScanReport> {
  const report = await running.scan({
    target: TARGET,
    labels: { team: 'demo' },
    path: 'package-lock.json',
    content: readFileSync(EXAMPLE),
    progress,
  });
  progress.clear();
  return report;
}

function stepPrinter(terminal: Terminal) {
  const paint = palette(terminal.colour);
  let steps = 0;
  return {
    progress: progressLine(terminal),
    title: (text: string) => terminal.out(`${paint.strong(text)}\n`),
    step: (text: string) => terminal.out(`\n${paint.strong(`${++steps}. ${text}`)}\n`),
    facts: (lines: readonly string[]) => terminal.out(lines.map((line) => `   ${line}\n`).join('')),
    alert: (alert: DemoAlert) => terminal.out(alertText(alert)),
  };
}

const SHOWN_PAYLOAD_LINES = 40;

function alertText({ method, path, headers, body }: DemoAlert): string {
  const shown = Object.entries(headers).map(([name, value]) => `   ${name}: ${printable(value)}`);
  const lines = JSON.stringify(JSON.parse(body), null, 2).split('\n');
  const hidden = lines.length - SHOWN_PAYLOAD_LINES;
  return [
    `   ${method} ${printable(path)}`,
    ...shown,
    '',
    ...lines.slice(0, SHOWN_PAYLOAD_LINES).map((line) => `   ${printable(line)}`),
    ...(hidden > 0 ? [`   … and ${hidden} more lines`] : []),
    '',
  ].join('\n');
}
