import { setTimeout as wait } from 'node:timers/promises';
import type { RestDescription } from '../../discovery/description/description.ts';
import { type ApiMethod, findMethod } from '../../discovery/description/methods.ts';
import { closing } from '../../model/closing.ts';
import type { ParameterTexts } from '../../operations/call.ts';
import { nothingStored } from '../../operations/context.ts';
import type { MethodId, RawAnswer } from '../../operations/operation.ts';
import { reportUnreadable } from '../program/admin.ts';
import { CommandError, EXIT } from '../program/errors.ts';
import { type DestinationOptions, withDestination, withOutputFile } from '../program/output-file.ts';
import { writeParts } from '../program/process-output.ts';
import type { ReportFile } from '../program/scan-result.ts';
import { type CommandContext, interruptible } from '../program/terminal.ts';
import type { Caller } from './caller.ts';
import type { View } from './noun.ts';
import { openCaller, type ServerOptions } from './open-caller.ts';
import { type Answered, type Ask, joinPages, limitedAnswer } from './pages.ts';
import { shortAnswer } from './short-answer.ts';

/** The options of every command of an operation. */
export interface OperationOptions extends ServerOptions, DestinationOptions {
  readonly format: string;
  readonly limit?: number;
  readonly verbose?: boolean;
  readonly yes?: boolean;
  readonly report?: readonly ReportFile[];
  readonly follow?: boolean;
  /** File of the key that signs the result. */
  readonly sign?: string;
  /** Milliseconds between two questions of `--follow`. */
  readonly every?: number;
}

/** One call of an operation from the command line. */
export interface Run {
  readonly document: RestDescription;
  readonly method: ApiMethod;
  readonly view: View;
  readonly params: ParameterTexts;
  readonly body: Json | undefined;
  readonly options: OperationOptions;
}

type Json = Readonly<Record<string, unknown>>;

/** Asks, and prints the answer. Files are written first. */
export async function runOperation(context: CommandContext, run: Run): Promise<void> {
  const { sign, output } = run.options;
  if (sign === undefined) return await runUnsigned(context, run);
  if (output === undefined)
    throw new CommandError('options-unsuited', '--sign needs --output: the signature is written beside it');
  const { signFile } = await import('../../commands/sign-file.ts');
  const write = await signFile(sign, output);
  await runUnsigned(context, run);
  const signature = await write();
  await withOutputFile(`${output}.sig`, async (out) => out(signature));
}

async function runUnsigned(context: CommandContext, run: Run): Promise<void> {
  const { options, view, params } = run;
  await withDestination(context.terminal, options, async (terminal) => {
    if (
      view.question !== undefined &&
      options.yes !== true &&
      !(await isConfirmed(context, view.question(params)))
    )
      return;
    await closing(openCaller(options, view), async (caller) => {
      for (const { format, path } of options.report ?? []) {
        await withOutputFile(path, async (out) => {
          const file = { ...terminal, out, colour: false, width: Number.POSITIVE_INFINITY };
          await print({ ...context, terminal: file }, caller, { ...run, options: { ...options, format } });
        });
      }
      await print({ ...context, terminal }, caller, run);
    });
  });
}

async function isConfirmed({ terminal, exit }: CommandContext, question: string): Promise<boolean> {
  if (terminal.confirm === undefined) {
    terminal.note('error: no terminal to ask for confirmation: use --yes to go on without asking\n');
    exit(EXIT.error);
    return false;
  }
  const isYes = await terminal.confirm(question);
  if (!isYes) exit(EXIT.findings);
  return isYes;
}

async function print(context: CommandContext, caller: Caller, asked: Run): Promise<void> {
  const { terminal } = context;
  const { view, options } = asked;
  const isTable = options.format === 'table' && view.table !== undefined;
  const method = isTable ? findMethod(asked.document, view.table) : asked.method;
  const run = { ...asked, method };
  const isReport = view.report !== undefined && (view.text === undefined || !LISTED.has(options.format));
  if (isReport) {
    await printReport(context, caller, run);
    return reportUnreadable(context, caller.unreadable);
  }
  const { answer, more } = await interruptible(async (signal) => {
    const answered = await answerOf(caller, run, signal);
    const { total, unreadable } = answered.answer;
    if (asked.method.parameters.has('pageToken') && total === 0 && unreadable === undefined)
      await requireStored(caller, run.params, signal);
    return answered;
  });
  const own = view.formats?.[options.format];
  if (own !== undefined) {
    const text = await own(answer);
    await writeParts(terminal, typeof text === 'string' ? [text] : text);
  } else if (options.format === 'table')
    await writeParts(terminal, [await textOf(context, run, { answer, more })]);
  else
    await writeParts(
      terminal,
      options.format === 'json' ? jsonParts(answer, view.items) : lines(answer, view),
    );
  if (view.isFound?.(answer) === false) context.exit(EXIT.notFound);
  if (view.exit !== undefined) context.exit(view.exit(answer));
  // What a change could not read is part of its answer.
  if (method.httpMethod === 'GET')
    reportUnreadable(context, (answer['unreadable'] ?? []) as readonly string[]);
  if (view.follow !== undefined && options.follow === true) await follow(context, caller, run, answer);
}

/** Formats of every answer. */
const LISTED: ReadonlySet<string> = new Set(['table', 'json', 'ndjson']);

/** How texts are laid out on a terminal. */
export async function layoutOf(
  { terminal }: Pick<CommandContext, 'terminal'>,
  { verbose = false }: Pick<OperationOptions, 'verbose'>,
) {
  const { colour, width } = terminal;
  return { colour, width, verbose, links: (await terminal.showsLinks?.()) === true };
}

async function textOf(context: CommandContext, run: Run, { answer, more }: Answered): Promise<string> {
  const { document, method, view, params, options } = run;
  const shown = { ...(await layoutOf(context, options)), params };
  if (view.text !== undefined) return view.text(answer, shown);
  const { answerText } = await import('../../report/answer.ts');
  const columns = options.verbose === true ? undefined : view.columns;
  const schema = { $ref: method.response ?? '' };
  const described = { schema, schemas: document.schemas, leavesOut: true, columns };
  const isLimited = view.items !== undefined || method.parameters.has('limit');
  const short = options.verbose === true ? answer : shortAnswer(answer, view, isLimited);
  const text = answerText(short, described, shown);
  return more ? `${text}… and more: --limit shows them\n` : text;
}

/** A report of what fits, which the operation `report` of the noun renders. */
async function printReport(context: CommandContext, caller: Caller, run: Run): Promise<void> {
  const id = run.view.report as MethodId;
  const params = { ...run.params, orderBy: undefined, format: run.options.format };
  const layout = await layoutOf(context, run.options);
  const answer = await interruptible((signal) => caller.call(id, params, { signal, layout }));
  await writeParts(context.terminal, [(answer as unknown as RawAnswer).body]);
}

/** Asks again and again, and prints what changed, until a signal ends it. */
async function follow(context: CommandContext, caller: Caller, run: Run, first: Json): Promise<void> {
  const { options, view } = run;
  const { plainText } = await import('../../report/answer.ts');
  await interruptible(async (signal) => {
    for (let before = first; ; ) {
      await wait(options.every, undefined, { signal });
      const { answer } = await answerOf(caller, run, signal);
      const changes = view.follow?.changes(before, answer);
      before = answer;
      if (changes === undefined) continue;
      const text =
        options.format === 'table' ? plainText(changes, context.terminal) : `${JSON.stringify(changes)}\n`;
      await writeParts(context.terminal, [text]);
    }
  });
}

/** The whole answer: those to several values of an argument in a list, pages of a list joined. */
async function answerOf(caller: Caller, run: Run, signal: AbortSignal): Promise<Answered> {
  const { method, view, params, body, options } = run;
  const { items, each } = view;
  const bodyWith = async (typed: Json) =>
    body === undefined
      ? undefined
      : await (view.body?.complete ?? ((given: Json) => given))({ ...body, ...typed }, options as never);
  const ask: Ask = async (more, typed = {}) =>
    (await caller.call(
      method.id as MethodId,
      { ...params, ...more },
      { body: await bodyWith(typed), signal },
    )) as unknown as Json;
  if (each !== undefined) {
    const answers: Json[] = [];
    const isParameter = method.parameters.has(each);
    for (const one of [(isParameter ? params : body)?.[each] ?? []].flat())
      answers.push(isParameter ? await ask({ [each]: String(one) }) : await ask({}, { [each]: one }));
    return { answer: { [items ?? 'answers']: answers }, more: false };
  }
  const own = method.parameters.get('limit');
  // All entries for programs, as far as the method lists them.
  const preset = options.format === 'table' ? view.limit : own?.maximum;
  if (own !== undefined) return await limitedAnswer(ask, Number(options.limit ?? preset));
  if (items === undefined || !method.parameters.has('pageToken'))
    return { answer: await ask({}), more: false };
  const most = options.limit ?? (options.format === 'table' ? view.limit : undefined);
  return await joinPages(ask, items, { maxPage: caller.maxPage, most: most ?? Number.POSITIVE_INFINITY });
}

/** Throws when the target is not stored, or nothing is: an empty list would say that all is well. */
async function requireStored(caller: Caller, { target }: ParameterTexts, signal: AbortSignal): Promise<void> {
  if (target !== undefined) await caller.call('lockhound.targets.get', { target }, { signal });
  else if ((await caller.call('lockhound.targets.list', { pageSize: '1' }, { signal })).total === 0)
    throw nothingStored();
}

/** An answer as JSON in parts: its list may be longer than a text can be. */
function* jsonParts(answer: Json, items: string | undefined): Generator<string> {
  if (items === undefined) return yield `${JSON.stringify(answer)}\n`;
  const { [items]: list, ...rest } = answer;
  yield `{${JSON.stringify(items)}:[`;
  for (const [index, item] of (list as readonly unknown[]).entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(item)}`;
  const tail = JSON.stringify(rest).slice(1);
  yield `]${tail === '}' ? '' : ','}${tail}\n`;
}

/** A line of JSON for each entry. */
function* lines(answer: Json, { items = '' }: View): Generator<string> {
  for (const item of (answer[items] ?? [answer]) as readonly unknown[]) yield `${JSON.stringify(item)}\n`;
}
