import type { System, VersionKey } from '../../model/lockfile/ecosystem.ts';
import { formatVersionKey, purlTypeOf, writePurl } from '../../model/lockfile/ecosystem.ts';
import type { Advisory } from '../../model/scan/inventory.ts';
import type { LookUp } from '../resolve/eligibility.ts';

/** A well-known version, and what every index states of it. */
export interface Witness {
  readonly lookUp: LookUp;
  /** Its subject by part of `VERSION_STATEMENTS`; `undefined`: the part is stated, whatever the subject. */
  readonly states: ReadonlyMap<string, string | undefined>;
}

/** Fewer witnesses than this prove nothing. */
export const MIN_WITNESSES = 2;

/** Parts whose subject is the package. */
type Named = 'deprecation' | 'publication date' | 'licences';

const DATED: readonly Named[] = ['publication date', 'licences'];
const DEPRECATED: readonly Named[] = ['deprecation', 'licences'];
const LICENSED: readonly Named[] = ['licences'];
/** The mark of a version with advisories, of which none is certain to stay. */
const SOME = 'some';

/** Old versions with many users, of which no correction is to be expected. Third: an advisory about it. */
const VERSIONS: readonly (readonly [System, string, string, string | undefined, readonly Named[]])[] = [
  ['NPM', 'lodash', '4.17.20', 'GHSA-35jh-r3h4-6jhm', DATED],
  ['NPM', 'minimist', '1.2.5', 'GHSA-xvch-5gv4-984h', LICENSED],
  ['NPM', 'axios', '0.21.1', 'GHSA-cph5-m8f7-6c5x', LICENSED],
  ['NPM', 'node-fetch', '2.6.1', 'GHSA-r683-j2x4-v87g', LICENSED],
  ['NPM', 'request', '2.88.2', 'GHSA-p8p7-x288-28g6', [...DATED, 'deprecation']],
  ['NPM', 'har-validator', '5.1.5', undefined, DEPRECATED],
  ['NPM', 'glob', '7.1.6', undefined, DEPRECATED],
  ['PYPI', 'jinja2', '2.10', 'GHSA-462w-v97r-4m45', DATED],
  ['PYPI', 'requests', '2.19.1', 'GHSA-x84v-xcm2-53pg', DATED],
  ['PYPI', 'urllib3', '1.24.1', 'GHSA-mh33-7rrq-662w', DATED],
  ['MAVEN', 'org.apache.logging.log4j:log4j-core', '2.14.1', 'GHSA-jfh8-c2jp-5v3q', DATED],
  ['MAVEN', 'com.fasterxml.jackson.core:jackson-databind', '2.9.8', SOME, DATED],
  ['GO', 'golang.org/x/text', 'v0.3.5', SOME, DATED],
  ['GO', 'golang.org/x/net', 'v0.7.0', SOME, DATED],
  ['CARGO', 'time', '0.1.43', SOME, DATED],
  ['CARGO', 'chrono', '0.4.19', SOME, DATED],
  ['RUBYGEMS', 'nokogiri', '1.10.9', SOME, DATED],
  ['RUBYGEMS', 'rack', '2.2.2', SOME, DATED],
  ['NUGET', 'newtonsoft.json', '12.0.3', SOME, DATED],
  ['NUGET', 'system.text.encodings.web', '4.7.1', SOME, DATED],
  ['PACKAGIST', 'guzzlehttp/guzzle', '6.5.5', SOME, []],
  ['PACKAGIST', 'phpmailer/phpmailer', '6.4.0', SOME, []],
  ['PUB', 'http', '0.13.0', SOME, []],
  ['PUB', 'dio', '4.0.0', SOME, []],
  ['HEX', 'plug', '1.3.0', SOME, []],
  ['HEX', 'phoenix', '1.2.0', SOME, []],
  ['SWIFTURL', 'github.com/vapor/vapor', '4.40.0', SOME, []],
  ['SWIFTURL', 'github.com/apple/swift-nio-http2', '1.19.1', SOME, []],
];

/** Advisories of these versions, with a name and a score that each of them has at least. */
export const WITNESS_ADVISORIES: readonly Advisory[] = (
  [
    ['GHSA-35jh-r3h4-6jhm', 'CVE-2021-23337'],
    ['GHSA-xvch-5gv4-984h', 'CVE-2021-44906'],
    ['GHSA-p8p7-x288-28g6', 'CVE-2023-28155'],
  ] as const
).map(([id, alias]) => ({ id, url: '', title: '', aliases: [alias], score: 4 }));

/** Further old versions that have advisories. One of them alone may have been corrected. */
const AFFECTED: Readonly<Record<System, readonly string[]>> = {
  NPM: [
    ...['moment@2.29.1', 'ejs@3.1.6', 'handlebars@4.5.2', 'jquery@3.4.1', 'serialize-javascript@3.0.0'],
    ...['ini@1.3.5', 'y18n@4.0.0', 'path-parse@1.0.6'],
  ],
  PYPI: [
    ...['django@2.2', 'pillow@8.1.0', 'pyyaml@5.3', 'flask@0.12.2', 'cryptography@3.2', 'aiohttp@3.7.3'],
    ...['lxml@4.6.2'],
  ],
  MAVEN: [
    ...['commons-collections:commons-collections@3.2.1', 'commons-fileupload:commons-fileupload@1.3.2'],
    ...['commons-io:commons-io@2.6', 'org.apache.commons:commons-text@1.9', 'org.yaml:snakeyaml@1.26'],
    ...['com.google.guava:guava@24.0-jre', 'ch.qos.logback:logback-core@1.2.3'],
  ],
  GO: [
    ...['golang.org/x/crypto@v0.16.0', 'google.golang.org/grpc@v1.56.2', 'github.com/gin-gonic/gin@v1.6.3'],
    ...['github.com/gorilla/websocket@v1.4.0', 'gopkg.in/yaml.v2@v2.2.2'],
  ],
  CARGO: ['regex@1.5.4', 'smallvec@1.6.0', 'hyper@0.14.9', 'tokio@1.8.0', 'crossbeam-deque@0.8.0'],
  RUBYGEMS: ['json@2.2.0', 'loofah@2.2.2', 'addressable@2.7.0', 'tzinfo@1.2.9', 'puma@4.3.1'],
  NUGET: [
    ...['system.net.http@4.3.0', 'system.text.regularexpressions@4.3.0', 'log4net@2.0.8'],
    ...['sharpziplib@1.3.2'],
  ],
  PACKAGIST: [
    ...['guzzlehttp/psr7@1.8.3', 'twig/twig@2.4.4', 'dompdf/dompdf@1.2.0', 'laravel/framework@6.18.0'],
    ...['symfony/http-kernel@4.4.0'],
  ],
  PUB: ['archive@3.3.7', 'personnummer@3.0.2'],
  HEX: ['hackney@1.15.0', 'pow@1.0.15', 'paginator@0.6.0'],
  SWIFTURL: ['github.com/apple/swift-nio@2.39.0', 'github.com/apple/swift-nio-extras@1.9.1'],
};

/** Well-known versions of a system, all of which have advisories: its witnesses, of which no correction is to be expected, and further ones. */
export function affectedVersions(system: System): readonly (VersionKey & { readonly isWitness: boolean })[] {
  return [
    ...witnessesOf(system)
      .filter(({ states }) => states.has('advisories'))
      .map(({ lookUp }) => ({ ...lookUp.versionKey, isWitness: true })),
    ...AFFECTED[system].map((one) => {
      const at = one.lastIndexOf('@');
      return { system, name: one.slice(0, at), version: one.slice(at + 1), isWitness: false };
    }),
  ];
}

/** The witnesses of a system. */
export function witnessesOf(system: string): readonly Witness[] {
  return VERSIONS.filter(([own]) => own === system).map(([own, name, version, advisory, named]) => {
    const lookUp = lookUpOf({ system: own, name, version });
    const states = new Map<string, string | undefined>([
      ['versions', lookUp.key],
      ...named.map((part) => [part, name] as const),
    ]);
    if (advisory !== undefined) states.set('advisories', advisory === SOME ? undefined : advisory);
    return { lookUp, states };
  });
}

function lookUpOf(versionKey: VersionKey): LookUp {
  const { system, name, version } = versionKey;
  return {
    key: formatVersionKey(versionKey),
    purl: writePurl(purlTypeOf(system), name, version),
    versionKey,
  };
}
