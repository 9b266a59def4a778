import { Command, Option } from 'commander';
import type { ApiResponse, CalledApi } from '../../commands/api/call-api.ts';
import { ApiError } from '../../commands/api/errors.ts';
import { loadOrDefault } from '../../config/load-or-default.ts';
import { secretNamedBy } from '../../config/secret-reference.ts';
import { readFile } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import { answerText } from '../../report/answer.ts';
import { EXIT } from '../program/errors.ts';
import { readJsonOption } from '../program/input.ts';
import { withOutputFile } from '../program/output-file.ts';
import { interruptible, type Terminal } from '../program/terminal.ts';

interface CallOptions {
  readonly params?: string;
  readonly body?: string;
  readonly media?: string;
  readonly mediaType: string;
  readonly upload?: 'simple' | 'multipart' | 'resumable';
  readonly rootUrl?: string;
  readonly endpoint?: string;
  readonly tokenEnv?: string;
  readonly directory?: string;
  readonly config?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly text?: boolean;
}

const EXAMPLES = `
Examples:
  lockhound api call insights insights.getPackage NPM ms
  lockhound api call insights insights.purlLookupBatch --body '{"requests": [{"purl": "pkg:npm/ms@2.1.3"}]}'
  lockhound api call drive.json drive.files.create --media photo.png --media-type image/png --token-env TOKEN
  lockhound api call drive.json drive.files.get 1a2b --params '{"alt": "media"}' --output photo.png --token-env TOKEN

insights, webhooks and lockhound are called at the configured addresses.

Exit codes: 0 the service answered with success, 2 it did not, or the call is not valid.`;

export function callCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('call')
    .description('Call a method and print the answer. Checks parameters and body first.')
    .argument('<document>', 'a file, a URL, or a name: insights, webhooks, discovery, lockhound')
    .argument('<methodId>', 'id of the method')
    .argument('[values...]', 'values of required parameters, in the order of the signature')
    .option('--params <json>', 'parameters as a JSON object; @file reads a file, - standard input')
    .option('--body <json>', 'body as JSON; @file reads a file, - standard input')
    .option('--media <file>', 'content to upload')
    .option('--media-type <type>', 'content type of the media', 'application/octet-stream')
    .addOption(
      new Option('--upload <protocol>', 'upload protocol (default: chosen by size)').choices([
        'simple',
        'multipart',
        'resumable',
      ]),
    )
    .option('--root-url <url>', "replaces the document's root URL")
    .addOption(
      new Option('--endpoint <location>', 'call the endpoint for this location').conflicts('rootUrl'),
    )
    .option('--token-env <variable>', 'environment variable with a bearer token')
    .option('--directory <url>', 'discovery service for other names')
    .option('-c, --config <file>', 'configuration file')
    .addOption(new Option('--output <file>', 'write the answer to a file, byte for byte').conflicts('json'))
    .addOption(
      new Option('--text', 'print the answer for people, by its schema').conflicts(['json', 'output']),
    )
    .option('--json', 'print {"status", "request", "body"} instead of the body')
    .addHelpText('after', EXAMPLES)
    .action(async (document: string, methodId: string, values: string[], options: CallOptions) => {
      const response = await call(terminal, { ...options, document, methodId, values });
      const succeeded = response.status >= 200 && response.status <= 299;
      if (succeeded && options.output !== undefined) await save(terminal, response, options.output);
      else print(terminal, response, options);
      if (!succeeded) exit(EXIT.error);
    });
}

interface Call extends CallOptions {
  readonly document: string;
  readonly methodId: string;
  readonly values: readonly string[];
}

async function call(terminal: Terminal, options: Call): Promise<CalledApi> {
  const loaded = await loadOrDefault(options.config);
  const { tokenEnv, body, media, mediaType } = options;
  const token = tokenEnv === undefined ? undefined : secretNamedBy('--token-env', tokenEnv);
  const params = await readJsonOption('--params', options.params ?? '{}', terminal);
  const json = body === undefined ? undefined : await readJsonOption('--body', body, terminal);
  const content = media === undefined ? undefined : await readMedia(media);
  const { callApi } = await import('../../commands/api/call-api.ts');
  return await interruptible((signal) =>
    callApi(loaded, {
      ...options,
      params,
      body: json,
      media: content === undefined ? undefined : { contentType: mediaType, content },
      protocol: options.upload,
      token,
      signal,
    }),
  );
}

/** Media is held in memory. */
const MAX_MEDIA_BYTES = 1_073_741_824;

async function readMedia(file: string): Promise<Buffer> {
  try {
    return await readFile(file, { maxBytes: MAX_MEDIA_BYTES });
  } catch (cause) {
    throw new ApiError('invalid-input', `--media ${messageOf(cause)}`, { cause });
  }
}

async function save(terminal: Terminal, { body, request }: ApiResponse, file: string): Promise<void> {
  await withOutputFile(file, async (write) => write(body));
  terminal.note(`${request}: ${body.length} bytes in ${file}\n`);
}

function print(
  terminal: Terminal,
  { status, request, content, answer }: CalledApi,
  { json, text }: CallOptions,
): void {
  if (json === true) {
    const body = content.kind === 'json' ? content.value : content.kind === 'text' ? content.text : null;
    terminal.out(`${JSON.stringify({ status, request, body }, null, 2)}\n`);
    return;
  }
  if (status < 200 || status > 299) terminal.note(`${request} answered HTTP ${status}\n`);
  if (content.kind === 'json' && text === true && status < 300)
    terminal.out(answerText(content.value, answer, terminal));
  else if (content.kind === 'json') terminal.out(`${JSON.stringify(content.value, null, 2)}\n`);
  else if (content.kind === 'text')
    terminal.out(content.text.endsWith('\n') ? content.text : `${content.text}\n`);
}
