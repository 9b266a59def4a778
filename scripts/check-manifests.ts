/**
 * Checks deploy/kubernetes, as `kubectl kustomize` builds it with and without autoscaling, against the published schemas of Kubernetes and
 * KEDA: values by the validators of `kubernetes-models`, unknown fields by its types. The argument is the `node_modules` that has
 * `kubernetes-models` and `@kubernetes-models/keda`; `.ci/deployment` installs them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const ROOT = join(import.meta.dirname, '..');
const modules = resolve(process.argv[2] ?? 'node_modules');
const folder = join(modules, '..', 'manifests');
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'overlay'), { recursive: true });
cpSync(join(ROOT, 'deploy/kubernetes'), folder, { recursive: true });
writeFileSync(
  join(folder, 'overlay/kustomization.yaml'),
  'resources: [../base]\ncomponents: [../autoscaling]\n',
);

const objects = ['base', 'overlay'].flatMap(build);
for (const one of objects) await validate(one);
checkFields(objects);
process.stdout.write(`${objects.length} objects fit: ${objects.map(({ kind }) => kind).join(', ')}\n`);

function build(name: string): readonly KubernetesObject[] {
  const text = execFileSync('kubectl', ['kustomize', join(folder, name)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((one) => one.toJS() as KubernetesObject);
}

/** The module that has the type of an object, such as `kubernetes-models/apps/v1`. */
function moduleOf({ apiVersion }: KubernetesObject): string {
  const root = apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
  return `${root}/${apiVersion}`;
}

/** Throws for a value that the schema does not allow. */
async function validate(one: KubernetesObject): Promise<void> {
  const file = join(modules, moduleOf(one), `${one.kind}.js`);
  const { [one.kind]: Model } = (await import(pathToFileURL(file).href)) as Record<
    string,
    new (
      data: KubernetesObject,
    ) => { validate(): void }
  >;
  if (Model === undefined) throw new RangeError(`there is no schema of ${one.apiVersion} ${one.kind}`);
  new Model(one).validate();
}

/** Schemas allow unknown fields, and so a typing error; the types made of them do not. */
function checkFields(all: readonly KubernetesObject[]): void {
  const file = join(folder, 'objects.ts');
  const lines = all.flatMap((one, index) => [
    `import type { I${one.kind} as T${index} } from '${moduleOf(one)}/${one.kind}';`,
    `export const o${index}: T${index} = ${JSON.stringify(one)};`,
  ]);
  writeFileSync(file, lines.join('\n'));
  const options = '--noEmit --strict --skipLibCheck --module nodenext --target es2024'.split(' ');
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '--ignoreConfig', ...options, file],
    { stdio: 'inherit', cwd: folder },
  );
}
