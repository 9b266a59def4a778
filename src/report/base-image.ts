import { printable } from '../model/printable.ts';
import { columns, fitLines, type TextOptions } from './layout.ts';
import { palette } from './palette.ts';

/** What is shown of an image and its base. */
interface ShownBaseImage {
  readonly image: {
    readonly path: string;
    readonly reference?: string;
    readonly platform: string;
    readonly layers: number;
  };
  readonly base?: ShownBase;
  readonly above: readonly string[];
  readonly change?: { readonly kind: 'changed' | 'gone' | 'found'; readonly before?: ShownBase };
}

interface ShownBase {
  readonly chainId: string;
  readonly layers: number;
  readonly repositories: readonly string[];
}

const SHOWN_REPOSITORIES = 10;
const SHOWN_COMMAND = 100;

/** The base of an image, the layers above it, and what changed. */
export function renderBaseImage(
  { image, base, above, change }: ShownBaseImage,
  options: TextOptions,
): string {
  const paint = palette(options.colour);
  const title = `${paint.strong(printable(image.reference ?? image.path))}  ${paint.faint(`${printable(image.platform)}, ${image.layers} layers`)}`;
  const all = base?.layers === image.layers ? 'all: it is that image' : `the lowest ${base?.layers}`;
  const rows = [
    ...(base === undefined
      ? []
      : [...labelled('built on', listOf(base.repositories)), ['layers', all], ['chain id', base.chainId]]),
    ...labelled('above it', above.map(shorten)),
  ].map(([label = '', text = '']) => [paint.faint(label), printable(text)]);
  return fitLines(
    [
      title,
      ...(base === undefined ? ['No public image has its layers.'] : []),
      ...columns(rows, { width: options.width, indent: '  ' }),
      ...(change === undefined ? [] : [printable(changeText(change))]),
    ],
    options,
  );
}

function labelled(label: string, texts: readonly string[]): readonly (readonly string[])[] {
  return texts.map((text, index) => [index === 0 ? label : '', text]);
}

function changeText({ kind, before }: NonNullable<ShownBaseImage['change']>): string {
  if (before === undefined || kind === 'found') return 'Changed: the baseline had no base.';
  const was = `${listOf(before.repositories).join(', ')} (${before.chainId})`;
  return kind === 'gone'
    ? `Changed: it is built on no public image that the index has; it was built on ${was}.`
    : `Changed: it was built on ${was}.`;
}

function listOf(repositories: readonly string[]): readonly string[] {
  const more = repositories.length - SHOWN_REPOSITORIES;
  return [...repositories.slice(0, SHOWN_REPOSITORIES), ...(more > 0 ? [`and ${more} more`] : [])];
}

function shorten(command: string): string {
  const text = command.replace(/\s+/g, ' ').trim();
  if (text === '') return 'a command that the image does not state';
  return text.length > SHOWN_COMMAND ? `${text.slice(0, SHOWN_COMMAND - 1)}…` : text;
}
