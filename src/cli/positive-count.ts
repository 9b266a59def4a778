import { InvalidArgumentError } from 'commander';

/** The value of an option that counts: a whole number of at least 1. */
export function positiveCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number of at least 1');
  return value;
}
