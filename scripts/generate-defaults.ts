import { configSchema } from '../src/config/schema.ts';

/** The configuration without a file and variables, for commands that then load no schema. */
export async function generateDefaults(): Promise<
  readonly { readonly path: string; readonly content: string }[]
> {
  const content = `// Generated from src/config/schema.ts by \`npm run generate\`. Do not edit.
import type { Config } from './schema.ts';

/** The configuration when nothing is configured. */
export const DEFAULTS: Config = ${JSON.stringify(configSchema.parse({}), null, 2)};
`;
  return [{ path: 'src/config/defaults.generated.ts', content }];
}
