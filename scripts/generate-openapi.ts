import { readBundledDescription } from '../src/discovery/bundled.ts';
import { openApiOf } from './openapi/document.ts';

/** The description of our API in the form of OpenAPI, as text, which the server sends. */
export async function generateOpenApi() {
  const text = JSON.stringify(openApiOf(await readBundledDescription('lockhound.v1')));
  const content = `// Generated from apis/lockhound.v1.json by \`npm run generate\`. Do not edit.

/** The OpenAPI document of our API, without its server. */
export const OPEN_API = ${JSON.stringify(text)};
`;
  return [{ path: 'src/server/api/openapi.generated.ts', content }];
}
