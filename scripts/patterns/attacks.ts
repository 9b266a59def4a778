import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** A text that begins, repeats and ends. */
export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

type Node = AST.Alternative | AST.Element | AST.CharacterClassElement;

const ASCII = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
/** Letters and digits come first, so that attacks can be read. */
const ALPHABET = [...'a0 A-./', ...ASCII, '\t', '\n', '\r', '\0', '\u0085', '\u2028', '\u00e9', '\ud800'];

/** Repeats beyond this number are as good as unlimited. */
const MANY = 30;
const MAX_CHARACTERS = 14;

/**
 * The texts with which backtracking takes longest: for each repeated part of the expression, a text that leads to it, what it repeats,
 * and a character with which the match fails. Characters that all parts treat alike are tried once.
 */
export function attacksOn(pattern: string, flags: string): readonly Attack[] {
  const tree = new RegExpParser().parsePattern(pattern, 0, pattern.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const sets = new Map<Node, ReadonlySet<string>>();
  collectSets(tree, flags, sets);
  const characters = distinct(sets);
  const attacks = new Map<string, Attack>();
  const add = (one: Attack) => one.pump !== '' && attacks.set(JSON.stringify(one), one);
  for (const part of repeatedParts(tree)) {
    for (const wanted of characters) {
      for (const text of textsOf(part, wanted, sets)) {
        for (const character of ['', ...characters]) for (const one of attacksBy(text, character)) add(one);
      }
    }
  }
  return [...attacks.values()];
}

/** What leads to a repeated part, what it repeats, and what follows it, each as a short text. */
interface Texts {
  readonly before: string;
  readonly repeated: string;
  /** Up to the next repeated part. */
  readonly next: string;
  /** The shortest rest, and one in which each part occurs. */
  readonly rests: readonly string[];
}

function textsOf(
  { before, element, after }: RepeatedPart,
  wanted: string,
  sets: ReadonlyMap<Node, ReadonlySet<string>>,
): readonly Texts[] {
  const write = (nodes: readonly Node[], least = 0) =>
    nodes.map((node) => word(node, { wanted, least, sets })).join('');
  const repeat = after.findIndex((node) => node.type === 'Quantifier');
  const next = write(repeat < 0 ? after : after.slice(0, repeat));
  const rests = [...new Set([write(after), write(after, 1)])];
  return alternativesOf(element).map((one) => ({
    before: write(before),
    repeated: write([one]),
    next,
    rests,
  }));
}

/** The attacks on one part with a character that ends, begins or separates what is repeated. */
function attacksBy({ before, repeated, next, rests }: Texts, character: string): readonly Attack[] {
  return [
    { prefix: before, pump: repeated, suffix: character },
    { prefix: character + before, pump: repeated, suffix: character },
    { prefix: '', pump: before + repeated, suffix: character },
    { prefix: before, pump: repeated + character, suffix: '' },
    { prefix: before, pump: repeated + next, suffix: character },
    { prefix: '', pump: repeated + next, suffix: character },
    ...rests.flatMap((rest) => [
      { prefix: before, pump: repeated, suffix: rest + character },
      { prefix: '', pump: before + repeated + rest, suffix: character },
    ]),
  ];
}

/** Which characters each part of one character accepts. */
function collectSets(tree: AST.Pattern, flags: string, sets: Map<Node, ReadonlySet<string>>): void {
  const single = flags.replaceAll(/[gymd]/g, '');
  for (const node of descendants(tree)) {
    if (!isCharacter(node)) continue;
    const expression = new RegExp(`^(?:${node.raw})$`, single);
    sets.set(node, new Set(ALPHABET.filter((character) => expression.test(character))));
  }
}

function isCharacter(node: Node): boolean {
  return ['Character', 'CharacterClass', 'CharacterSet', 'ExpressionCharacterClass'].includes(node.type);
}

/** One character of each kind: two characters are of one kind when all parts accept both or neither. */
function distinct(sets: ReadonlyMap<Node, ReadonlySet<string>>): readonly string[] {
  const kinds = new Map<string, string>();
  for (const character of ALPHABET) {
    const kind = [...sets.values()].map((set) => (set.has(character) ? 1 : 0)).join('');
    // A line break ends what `.` and `$` read even where no part names it.
    const key = character === '\n' ? `${kind}n` : kind;
    if (!kinds.has(key)) kinds.set(key, character);
  }
  // Those that several parts accept cause backtracking; most patterns have fewer.
  const accepted = (character: string) => [...sets.values()].filter((set) => set.has(character)).length;
  return [...kinds.values()]
    .sort((left, right) => accepted(right) - accepted(left))
    .filter((character, index) => index < MAX_CHARACTERS || character === '\n' || accepted(character) === 0);
}

function* descendants(node: AST.Pattern | Node): Generator<Node> {
  for (const child of childrenOf(node)) {
    yield child;
    yield* descendants(child);
  }
}

function childrenOf(node: AST.Pattern | Node): readonly Node[] {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return node.alternatives;
    case 'Assertion':
      return 'alternatives' in node ? node.alternatives : [];
    case 'Alternative':
      return node.elements;
    case 'Quantifier':
      return [node.element];
    default:
      return [];
  }
}

/** The alternatives of a group, each of which can repeat; the node itself where it is none. */
function alternativesOf(node: Node): readonly Node[] {
  return node.type === 'Group' || node.type === 'CapturingGroup' ? node.alternatives : [node];
}

interface RepeatedPart {
  /** What a text has to match before it reaches the part. */
  readonly before: readonly Node[];
  readonly element: Node;
  readonly after: readonly Node[];
}

function* repeatedParts(
  node: AST.Pattern | Node,
  before: readonly Node[] = [],
  after: readonly Node[] = [],
): Generator<RepeatedPart> {
  if (node.type === 'Quantifier') {
    if (node.max >= MANY) yield { before, element: node.element, after };
    yield* repeatedParts(node.element, before, after);
  } else if (node.type === 'Alternative') {
    for (const [index, element] of node.elements.entries()) {
      yield* repeatedParts(
        element,
        [...before, ...node.elements.slice(0, index)],
        [...node.elements.slice(index + 1), ...after],
      );
    }
  } else for (const child of childrenOf(node)) yield* repeatedParts(child, before, after);
}

interface Wording {
  /** The character to use where a part accepts it. */
  readonly wanted: string;
  /** How often a part occurs that may be absent. */
  readonly least: number;
  readonly sets: ReadonlyMap<Node, ReadonlySet<string>>;
}

/** A short text that the node matches. */
function word(node: Node, wording: Wording): string {
  const { wanted, least, sets } = wording;
  const accepted = sets.get(node);
  if (accepted !== undefined) {
    if (accepted.has(wanted)) return wanted;
    const [first] = accepted;
    return first ?? (node.type === 'Character' ? String.fromCodePoint(node.value) : '');
  }
  switch (node.type) {
    case 'Alternative':
      return node.elements.map((element) => word(element, wording)).join('');
    case 'Group':
    case 'CapturingGroup':
      return word(node.alternatives[0] as AST.Alternative, wording);
    case 'Quantifier':
      return word(node.element, wording).repeat(Math.min(Math.max(node.min, least), 100));
    default:
      return '';
  }
}
