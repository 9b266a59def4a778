import type { Engine, EngineConnection } from './engine.ts';

/** An answer of Redis. */
export type Answer = string | number | null | readonly Answer[];

const MOST_STEPS = 100;

/**
 * Asks the engine between two chunks of its clients, without a connection that could be slow or break. The engine must have acted on all
 * that arrived.
 */
export class Witness {
  readonly #engine: Engine;
  #connection: EngineConnection | undefined;
  #answers: Buffer[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  ask(...command: readonly string[]): Answer {
    return this.askAll([command])[0] as Answer;
  }

  /** Asks several commands at once, and returns their answers in order. */
  askAll(commands: readonly (readonly string[])[]): readonly Answer[] {
    if (commands.length === 0) return [];
    if (this.#connection === undefined || !this.#engine.knows(this.#connection)) {
      this.#connection = this.#engine.open(
        (chunk) => void this.#answers.push(chunk),
        () => {},
      );
    }
    this.#engine.receive(this.#connection, Buffer.from(commands.map(textOf).join('')));
    // A long answer is written in several steps.
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      this.#engine.step();
      const answers = parseAll(Buffer.concat(this.#answers).toString('latin1'), commands.length);
      if (answers === undefined) continue;
      this.#answers = [];
      return answers;
    }
    throw new Error(`the engine has not answered ${commands[0]?.join(' ')}`);
  }
}

function textOf(command: readonly string[]): string {
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}

/** Reads so many answers; `undefined` for a part of them. */
function parseAll(text: string, count: number): readonly Answer[] | undefined {
  const answers: Answer[] = [];
  for (let at = 0; answers.length < count; ) {
    const one = parse(text, at);
    if (one === undefined) return undefined;
    answers.push(one[0]);
    at = one[1];
  }
  return answers;
}

/** Reads one answer of RESP 2 from a place on. Returns where it ends; `undefined` for a part of one. Throws for an error. */
function parse(text: string, from: number): readonly [Answer, number] | undefined {
  const end = text.indexOf('\r\n', from);
  if (end < 0) return undefined;
  const [kind, line] = [text[from], text.slice(from + 1, end)];
  const next = end + 2;
  if (kind === '+') return [line, next];
  if (kind === ':') return [Number(line), next];
  const length = Number(line);
  if (kind === '$') {
    const after = next + length + 2;
    if (length < 0) return [null, next];
    return after > text.length ? undefined : [text.slice(next, next + length), after];
  }
  if (kind !== '*') throw new Error(`the engine answers ${line}`);
  const all: Answer[] = [];
  let at = next;
  for (let index = 0; index < length; index += 1) {
    const one = parse(text, at);
    if (one === undefined) return undefined;
    all.push(one[0]);
    at = one[1];
  }
  return [length < 0 ? null : all, at];
}

export function textsIn(answer: Answer): readonly string[] {
  return Array.isArray(answer) ? answer.map(String) : [];
}

/** The fields of a hash by their names. */
export function fieldsOf(answer: Answer): Readonly<Record<string, string>> {
  const all = textsIn(answer);
  return Object.fromEntries(all.flatMap((name, at) => (at % 2 === 0 ? [[name, all[at + 1] ?? '']] : [])));
}
