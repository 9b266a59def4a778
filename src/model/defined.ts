type OptionalKeys<Values> = {
  [Key in keyof Values]: undefined extends Values[Key] ? Key : never;
}[keyof Values];

/** The properties of an object; those that can be `undefined` are optional instead. */
export type Defined<Values> = Omit<Values, OptionalKeys<Values>> & {
  -readonly [Key in OptionalKeys<Values>]?: Exclude<Values[Key], undefined>;
};

/** Returns the properties that are not `undefined`: what is not known has no property (`exactOptionalPropertyTypes`). */
export function defined<Values extends object>(values: Values): Defined<Values> {
  const found: Partial<Values> = {};
  for (const key of Object.keys(values) as (keyof Values)[])
    if (values[key] !== undefined) found[key] = values[key];
  return found as Defined<Values>;
}
