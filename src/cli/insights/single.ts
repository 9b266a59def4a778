import type { Argument, Command } from 'commander';
import type { Answered, InsightsSession } from '../../commands/insights-session.ts';
import { printableUrl } from '../../http/errors.ts';
import { answerText } from '../../report/answer.ts';
import type { TextOptions } from '../../report/layout.ts';
import type { CommandContext } from '../program/context.ts';
import { EXIT } from '../program/exit-code.ts';
import {
  type Description,
  type OperationOptions,
  operationCommand,
  problemsText,
  withSession,
} from './session.ts';

/** What an operation is asked about: the parameters of its command, and how their values are read. */
export interface Subject<Value> {
  readonly parameters: readonly Argument[];
  read(values: readonly string[]): Value;
}

/** An operation with one subject and one answer. */
interface SingleOperation<Asked, Value> extends Description {
  /** The operation of the client. */
  readonly ask: (operations: InsightsSession['operations']) => Ask<Asked, Value>;
  /** The method of the description document: its schema describes the text. */
  readonly method: string;
  /** Replaces the text that follows from the schema. */
  readonly render?: (value: Value, options: TextOptions) => string;
  /** What "not found" means, where it may be misunderstood. */
  readonly absence?: string;
}

type Ask<Asked, Value> = (
  service: InsightsSession['service'],
  subject: Asked,
  options: { readonly signal: AbortSignal },
) => Promise<Answered<Value>>;

export function single<Asked, Value>(
  { parameters, read }: Subject<Asked>,
  operation: SingleOperation<Asked, Value>,
): (context: CommandContext) => Command {
  return (context) => {
    const command = operationCommand(operation);
    for (const parameter of parameters) command.addArgument(parameter);
    return command.action((...given: readonly unknown[]) => {
      const subject = read(command.processedArgs);
      return printAnswer(context, given.at(-2) as OperationOptions, {
        ...operation,
        ask: ({ operations, service }, signal) => operation.ask(operations)(service, subject, { signal }),
      });
    });
  };
}

/** One question with all that is needed to print its answer. */
interface Question<Value> extends Pick<SingleOperation<never, Value>, 'method' | 'render' | 'absence'> {
  ask(session: InsightsSession, signal: AbortSignal): Promise<Answered<Value>>;
}

/** Requests and prints the answer, or that the service has none. Throws any other error of the service. */
export async function printAnswer<Value>(
  { terminal, exit }: CommandContext,
  options: OperationOptions,
  { ask, method, render, absence }: Question<Value>,
): Promise<void> {
  const answered = await withSession(options, async (session, signal) => {
    const one = await ask(session, signal);
    if (one.error?.code === 'unavailable' && options.local !== true) {
      terminal.note(unavailable(session.url));
    }
    return one;
  });
  if (answered.error?.code === 'not-found') {
    const scope =
      options.local === true ? 'The local data is small: this says nothing about the registries.' : absence;
    terminal.note(`not found: ${answered.error.message}\n${scope === undefined ? '' : `${scope}\n`}`);
    return exit(EXIT.notFound);
  }
  if (answered.error !== undefined) throw answered.error;
  terminal.note(problemsText(answered.problems));
  terminal.out(
    options.json === true
      ? `${answered.body.toString('utf8').trimEnd()}\n`
      : (render ?? (await rendererOf(method)))(answered.value, {
          colour: terminal.colour,
          width: terminal.width,
        }),
  );
}

async function rendererOf(method: string): Promise<(value: unknown, options: TextOptions) => string> {
  const { insightsAnswer } = await import('../../commands/insights-session.ts');
  const answer = await insightsAnswer(method);
  return (value, options) => answerText(value, answer, options);
}

function unavailable(url: string): string {
  return (
    `The service at ${printableUrl(url)} did not answer. Check the connection and insights.url. ` +
    '--local works without a network, for the few packages of the bundled data.\n'
  );
}
