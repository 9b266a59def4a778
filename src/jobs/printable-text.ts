import { z } from 'zod';

/**
 * Text without control characters. The pattern is one that regular expressions of every language know, because it goes
 * into the JSON Schemas for producers.
 */
export function printableText(minimum: number, maximum: number): z.ZodString {
  return (
    z
      .string()
      .min(minimum)
      .max(maximum)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
      .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'expected text without control characters')
  );
}
