import type { output, ZodType } from 'zod';

/** The values of a schema, read-only. */
export type ValueOf<Schema extends ZodType> = Immutable<output<Schema>>;

type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;
