import { styleText } from 'node:util';
import type { Severity } from '../model/scan/finding.ts';

/** Colours of a report; the plain palette returns the text unchanged. */
export interface Palette {
  severity(severity: Severity, text: string): string;
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

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
export function palette(colour: boolean): Palette {
  const paint = (style: Style, text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  return {
    severity: (severity, text) => paint(SEVERITY_STYLES[severity], text),
    strong: (text) => paint('bold', text),
    faint: (text) => paint('gray', text),
    good: (text) => paint('green', text),
    bad: (text) => paint('red', text),
  };
}
