import { printable } from '../../model/printable.ts';
import { oneLine, stringWidth } from '../../report/layout.ts';
import type { Terminal } from './terminal.ts';

export type ProgressLine = ReturnType<typeof progressLine>;

const REDRAW_MS = 60;
const BAR_WIDTH = 20;

/** The part of the bar for each step of a scan, in proportion to its usual duration. */
const STEPS: Readonly<Record<string, readonly [from: number, to: number]>> = {
  read: [0, 0.1],
  resolve: [0.1, 0.6],
  advisories: [0.6, 0.95],
  judge: [0.95, 1],
};

/** A longer wait is said also where no progress is shown. */
const LONG_WAIT_MS = 4_000;

/**
 * One progress bar for the whole scan on standard error. Where that is not a terminal, it prints only long waits, a line each: a scan that
 * waits for the service is not silent.
 */
export function progressLine(terminal: Terminal) {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawnStep = '';
  let share = 0;
  const draw = (step: string, text: string): void => {
    drawnAt = performance.now();
    drawnStep = step;
    terminal.note(`\r\u001b[2K${line(share, text, terminal.noteWidth)}`);
  };
  return {
    /** `done` of `total` units of a step. A step that is not part of the bar does not move it. */
    update(step: string, done: number, total: number): void {
      if (!terminal.interactive) return;
      share = Math.max(share, shareOf(step, done, total));
      if (performance.now() - drawnAt < REDRAW_MS && step === drawnStep && done < total) return;
      draw(step, total > 1 ? `${step} ${done}/${total}` : step);
    },
    /** The scan goes on after `delayMs`; `reason` says what it waits for. */
    wait(delayMs: number, reason: string): void {
      const text = `waiting ${Math.ceil(delayMs / 1_000)} s (${reason})`;
      if (terminal.interactive) draw(text, text);
      else if (delayMs >= LONG_WAIT_MS) terminal.note(`${printable(text)}\n`);
    },
    /** Removes the line. */
    clear(): void {
      if (drawnStep !== '') terminal.note('\r\u001b[2K');
      drawnStep = '';
      share = 0;
    },
  };
}

function shareOf(step: string, done: number, total: number): number {
  if (!Object.hasOwn(STEPS, step)) return 0;
  const [from, to] = STEPS[step] ?? [0, 0];
  return from + (to - from) * (total === 0 ? 1 : Math.min(1, done / total));
}

/** The line is not wider than the terminal, because a wrapped line cannot be redrawn in place. */
function line(share: number, text: string, width: number): string {
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const left = width - BAR_WIDTH - 2;
  const shown = oneLine(printable(text), left);
  return stringWidth(shown) <= left ? `${bar} ${shown}` : bar;
}
