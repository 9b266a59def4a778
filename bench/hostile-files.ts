import { WORKER_INLINE } from '../src/lockfiles/threads/reading-limits.ts';
import { formatOfSample, SAMPLES } from '../test/lockfiles/samples.ts';

export interface BenchFile {
  readonly format: string;
  readonly title: string;
  readonly content: Buffer;
}

const LARGE_BYTES = 1_000_000;

/** Pieces that are expensive for parsers of the format's family, or that fail late. */
const PIECES = [
  '[',
  '{"a":',
  '<a>',
  '- ',
  '? ',
  '[[a]]\n',
  'a: [',
  '"',
  'x\n',
  ',',
  '! ',
  '&a ',
  'a: |\n  x\n',
  '\t',
  '((',
  '- - a\n',
];

/**
 * Each format's sample with a repeated piece after it or in its middle: of the largest sizes that a worker reads without a
 * thread, and larger.
 */
export function hostileFiles(): readonly BenchFile[] {
  return Object.entries(SAMPLES).flatMap(([label, sample]) =>
    PIECES.flatMap((piece) =>
      [WORKER_INLINE.bytes, WORKER_INLINE.onePassBytes, LARGE_BYTES].flatMap(
        (bytes): readonly BenchFile[] => {
          const many = piece.repeat(Math.max(0, Math.floor((bytes - sample.length) / piece.length)));
          const middle = sample.indexOf('\n', sample.length / 2) + 1;
          const title = `${JSON.stringify(piece)} to ${bytes} bytes`;
          const file = (text: string) => ({
            format: formatOfSample(label),
            title,
            content: Buffer.from(text),
          });
          return [file(sample + many), file(sample.slice(0, middle) + many + sample.slice(middle))];
        },
      ),
    ),
  );
}
