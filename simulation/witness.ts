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
    if (this.#connection === undefined || !this.#engine.knows(this.#connection)) {
      this.#connection = this.#engine.open(
        (chunk) => void this.#answers.push(chunk),
        () => {},
      );
    }
    const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
    this.#engine.receive(this.#connection, Buffer.from(`*${command.length}\r\n${parts.join('')}`));
    // A long answer is written in several steps.
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      this.#engine.step();
      const parsed = parse(Buffer.concat(this.#answers).toString('latin1'), 0);
      if (parsed === undefined) continue;
      this.#answers = [];
      return parsed[0];
    }
    throw new Error(`the engine has not answered ${command.join(' ')}`);
  }
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
