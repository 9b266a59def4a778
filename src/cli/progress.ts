import type { Terminal } from './terminal.ts';

export interface ProgressLine {
  update(step: string, done: number, total: number): void;
  /** Takes the line away. */
  clear(): void;
}

const REDRAW_MS = 60;

/** One line on standard error, redrawn in place; silent where that is not a terminal. */
export function progressLine(terminal: Terminal): ProgressLine {
  if (!terminal.interactive) return { update: () => {}, clear: () => {} };
  let drawn = 0;
  return {
    update(step, done, total) {
      const now = performance.now();
      if (now - drawn < REDRAW_MS && done < total) return;
      drawn = now;
      terminal.note(`\r\u001b[2K${bar(done, total)} ${step} ${done}/${total}`);
    },
    clear() {
      if (drawn > 0) terminal.note('\r\u001b[2K');
    },
  };
}

function bar(done: number, total: number): string {
  const width = 20;
  const filled = total === 0 ? width : Math.min(width, Math.floor((done / total) * width));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
