/** Bounds of the integer formats ("format"). Those of 64 bits are text in JSON; as parameters they may also be numbers. */
const INTEGER_BOUNDS: ReadonlyMap<string, readonly [bigint, bigint]> = new Map([
  ['int32', [-(2n ** 31n), 2n ** 31n - 1n]],
  ['uint32', [0n, 2n ** 32n - 1n]],
  ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['uint64', [0n, 2n ** 64n - 1n]],
]);

const LARGEST_FLOAT = 3.4028234663852886e38;

interface NumberDescription {
  readonly type?: string;
  readonly format?: string;
  readonly minimum?: string;
  readonly maximum?: string;
}

/** Whether values of that description are integers, with any JSON type. */
export function isInteger({ type, format }: NumberDescription): boolean {
  return type === 'integer' || INTEGER_BOUNDS.has(format ?? '');
}

/** The smallest and largest value of an integer format. */
export function integerBounds(format: string | undefined): readonly [bigint, bigint] | undefined {
  return INTEGER_BOUNDS.get(format ?? '');
}

/** The fault of a number written as text: `has to fit int32`; `undefined` when it fits. */
export function numberProblem(description: NumberDescription, text: string): string | undefined {
  return isInteger(description) ? integerProblem(description, text) : decimalProblem(description, text);
}

function integerProblem(description: NumberDescription, text: string): string | undefined {
  // The length is limited first: a million digits would take a second.
  if (!/^[+-]?\d{1,40}$/.test(text)) return 'has to be an integer';
  const integer = BigInt(text.replace(/^\+/, ''));
  const bounds = integerBounds(description.format);
  if (bounds !== undefined && (integer < bounds[0] || integer > bounds[1])) {
    return `has to fit ${description.format}`;
  }
  return boundProblem(description, integer);
}

function decimalProblem(description: NumberDescription, text: string): string | undefined {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return 'has to be a number';
  const number = Number(text);
  if (!Number.isFinite(number)) return 'has to fit double';
  if (description.format === 'float' && Math.abs(number) > LARGEST_FLOAT) return 'has to fit float';
  return boundProblem(description, number);
}

function boundProblem({ minimum, maximum }: NumberDescription, value: number | bigint): string | undefined {
  if (minimum !== undefined && value < bound(minimum)) return `has to be at least ${minimum}`;
  if (maximum !== undefined && value > bound(maximum)) return `has to be at most ${maximum}`;
  return undefined;
}

/** Exact for integers. A bound that is not a number limits nothing. */
function bound(text: string): number | bigint {
  return /^-?\d{1,40}$/.test(text) ? BigInt(text) : Number(text);
}
