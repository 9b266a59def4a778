import { inspect } from 'node:util';

/** The text that is shown in place of a secret value. */
export const MASK = '(secret)';

/**
 * A secret value that is not shown by accident: conversion to text, JSON and inspection return `(secret)`. Only
 * `reveal()` returns the value; call it where the value is used and not earlier. A secret that is defined by a function
 * is read once, when it is first revealed, so that a command which does not use it works where it is not set.
 */
export class Secret {
  readonly #read: () => string;
  #value: string | undefined;

  constructor(value: string | (() => string)) {
    this.#read = typeof value === 'string' ? () => value : value;
    this.#value = typeof value === 'string' ? value : undefined;
  }

  /** Throws the error of its reader when it cannot be read. */
  reveal(): string {
    this.#value ??= this.#read();
    return this.#value;
  }

  /** The value if this process has read it, for masks: what was never read cannot leak. */
  known(): string | undefined {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
