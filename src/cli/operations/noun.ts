import type { Command } from 'commander';
import type { LoadedConfig } from '../../config/load.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
import type { ParameterTexts } from '../../operations/call.ts';
import type { MethodId } from '../../operations/operation.ts';
import type { TextOptions } from '../../report/layout.ts';

// biome-ignore lint/suspicious/noExplicitAny: the answer of any method
type Any = any;

export interface ViewOptions extends TextOptions {
  /** The parameters of the request. */
  readonly params: ParameterTexts;
}

/** The properties of an operation on the command line that the document cannot state. */
export interface View {
  /** The answer for people. Default: that of its schema, or the report with the name `table`. */
  readonly text?: (answer: Any, options: ViewOptions) => string;
  /** The method. Default: that of the noun with the name of the verb. */
  readonly method?: MethodId;
  /** Parameters, and properties of the body, that are arguments, in addition to the parameters of the path. */
  readonly args?: readonly string[];
  /** The argument that may be given several times. The method is called for each value, and `items` has the answers. */
  readonly each?: string;
  /** Whether there is what was asked for; otherwise the exit code is 1. */
  readonly isFound?: (answer: Any) => boolean;
  /** The property of the answer that is a list. */
  readonly items?: string;
  /** The part of the answer that the text by its schema shows. Default: all. */
  readonly shown?: (answer: Any) => object;
  /**
   * The properties that are shown as text without `--verbose`, by the name of the list or object: as columns for the entries of a list, and as
   * one text for an object. Names are separated by spaces.
   */
  readonly columns?: Readonly<Record<string, string>>;
  /** Entries that are shown as text, without `--limit`. */
  readonly limit?: number;
  /** The method whose answer is shown as text, with the same parameters. Default: the same. */
  readonly table?: MethodId;
  /** The method that renders reports of what fits. */
  readonly report?: MethodId;
  /** The part of the body that the document does not derive. */
  readonly body?: BodyPart;
  /** Further formats of the answer, by name: its text, or the parts of it. */
  readonly formats?: Readonly<
    Record<string, (answer: Any) => string | Iterable<string> | Promise<string | Iterable<string>>>
  >;
  /** Whether `--sign` signs the file of the result. */
  readonly isSigned?: boolean;
  /** The question that a person answers before it happens. */
  readonly question?: (params: ParameterTexts) => string;
  /** How the answer changes. */
  readonly follow?: Follow;
  /** Whether what was asked for is so, as the exit code. Default: by `isFound`. */
  readonly exit?: (answer: Any) => number;
  /** Answers without the stores of the fleet; `undefined` where they are needed. */
  readonly local?: (
    loaded: LoadedConfig,
  ) => ((body: Any, signal: AbortSignal | undefined) => Promise<unknown>) | undefined;
}

/** The output of `--follow`. */
export interface Follow {
  /** Returns what is new in the second answer; `undefined` when both are equal. */
  readonly changes: (before: Any, now: Any) => object | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Properties of a body that are made of options of their own, or of files. */
export interface BodyPart {
  /** Their names: they are no options themselves. */
  readonly made: readonly string[];
  readonly options?: (command: Command) => void;
  /** The whole body, from what was typed. Throws `CommandError`. */
  readonly complete: (typed: Json, options: Json) => Promise<Json> | Json;
}

/** A body with the text of the file that `path` names. */
export const FILE_TEXT: BodyPart = {
  made: ['text'],
  complete: async ({ path, ...typed }) => {
    const content = await readFile(String(path), { maxBytes: MAX_INPUT_BYTES });
    return { ...typed, path, text: content.toString('utf8') };
  },
};

/** A noun on the command line. Unless it `isGroup`, its first verb is that of `lockhound <noun>`; the others are below it. */
export interface Noun {
  /** Name of its methods. Default: its own. */
  readonly resource?: string;
  readonly isGroup?: boolean;
  readonly verbs: Readonly<Record<string, View>>;
  readonly examples: string;
}
