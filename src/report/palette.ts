import { styleText } from 'node:util';
import type { Severity } from '../model/scan/severity.ts';

/** Colours of a report; the plain palette returns the text unchanged. */
export type Palette = ReturnType<typeof palette>;

type Style = Parameters<typeof styleText>[0];

const SEVERITY_STYLES: Readonly<Record<Severity, Style>> = {
  critical: ['bold', 'red'],
  high: 'red',
  medium: 'yellow',
  low: 'blue',
  none: 'gray',
  unrated: 'magenta',
};

/** Colours when `colour` is true. The caller checks for a terminal and `NO_COLOR`. */
export function palette(colour: boolean) {
  const paint = (style: Style, text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  return {
    severity: (severity: Severity, text: string) => paint(SEVERITY_STYLES[severity], text),
    strong: (text: string) => paint('bold', text),
    faint: (text: string) => paint('gray', text),
    good: (text: string) => paint('green', text),
    bad: (text: string) => paint('red', text),
  };
}
