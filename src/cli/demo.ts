import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Demo, DemoAlert } from '../commands/demo.ts';
import { packageFile } from '../files/package-file.ts';
import { printable } from '../model/printable.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { palette } from '../report/palette.ts';
import { renderText } from '../report/text.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exit-code.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { interruptible } from './signals.ts';
import type { Terminal } from './terminal.ts';

const EXAMPLE = packageFile('examples/shop/package-lock.json');
const TARGET = 'shop';

const NEXT = `What to try next:
  npx lockhound scan --local examples/shop --json     the same findings for a machine
  npx lockhound scan .                                your own lockfiles against https://api.deps.dev
  npx lockhound scan . --fail-on high                 an exit code for CI
  docker compose up                                   Valkey that keeps its data, a worker, the local services
  README.md                                           configuration, producers in other languages, formats, rules
`;

export function demoCommand(command: Command, { terminal, exit }: CommandContext): void {
  command.action(async () => exit(await interruptible((signal) => demo(terminal, signal))));
}

/** The steps as a newcomer sees them; each checks what it claims, so the exit code can be trusted. */
async function demo(terminal: Terminal, signal: AbortSignal): Promise<number> {
  const show = narrator(terminal);
  show.title('Lockhound: a lockfile goes in, an alert comes out. Everything runs on this machine.');
  const { startDemo } = await import('../commands/demo.ts');
  const running = await startDemo(signal);
  try {
    show.step('Started');
    show.facts(running.facts);
    show.step(`Enqueue examples/shop/package-lock.json for target "${TARGET}", as another service would`);
    const first = await scan(running, show.progress);
    terminal.out(`\n${renderText(first, { colour: terminal.colour, width: terminal.width })}`);
    const alerts = await running.alerts();
    show.step(`The alert that the receiver got`);
    for (const alert of alerts) show.alert(alert);

    show.step('Enqueue the same lockfile again');
    const second = await scan(running, show.progress);
    const silent = (await running.alerts()).length;
    show.facts([`${second.verdict.changes.length} changes, ${silent} alerts`]);

    const learned = running.learn();
    show.step(`The insights service learns ${learned.id} (${learned.title}); enqueue once more`);
    const third = await scan(running, show.progress);
    const news = await running.alerts();
    for (const { transition, finding } of third.verdict.changes) {
      show.facts([`${transition}: ${finding.package.name}@${finding.package.version}, ${finding.severity}`]);
    }
    show.facts([`${news.length} alert: ${news.map(({ id }) => id).join(', ')}`]);
    const asPromised = alerts.length === 1 && silent === 0 && news.length === 1;
    terminal.out(`\n${asPromised ? NEXT : 'This is not what should have happened: please report it.\n'}`);
    return asPromised ? EXIT.clean : EXIT.error;
  } finally {
    show.progress.clear();
    await running.close();
  }
}

async function scan(running: Demo, progress: ProgressLine): Promise<ScanReport> {
  const report = await running.scan({
    target: TARGET,
    path: 'package-lock.json',
    content: readFileSync(EXAMPLE),
    onProgress: progress.update,
  });
  progress.clear();
  return report;
}

function narrator(terminal: Terminal) {
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
  const rest = lines.length - SHOWN_PAYLOAD_LINES;
  return [
    `   ${method} ${printable(path)}`,
    ...shown,
    '',
    ...lines.slice(0, SHOWN_PAYLOAD_LINES).map((line) => `   ${printable(line)}`),
    ...(rest > 0 ? [`   … and ${rest} more lines`] : []),
    '',
  ].join('\n');
}
