// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Maven writes its references like that

/** A file that is read beside a lockfile, and the lockfile's name in `SAMPLES`. */
interface CompanionSample {
  readonly label: string;
  readonly sample: string;
}

/** Small files with all parts that are read of them, by their names. */
export const COMPANIONS: Readonly<Record<string, CompanionSample>> = {
  'package.json': {
    label: 'yarn-lock',
    sample: `{"name":"r","workspaces":["w/*"],
"dependencies":{"a":"^1"},
"overrides":{"a>b":"1","c":{".":"1","d":"2"}},
"resolutions":{"**/a":"1","@s/a@1":"2"},
"pnpm":{"overrides":{"a@1>b":"2"}}}`,
  },
  '.npmrc': {
    label: 'npm-package-lock',
    sample: 'min-release-age=3\nmin-release-age-exclude[]=@a/*\nregistry = https://h/\n',
  },
  'pnpm-workspace.yaml': {
    label: 'pnpm-lock',
    sample: 'minimumReleaseAge: 10\noverrides:\n  a>b: 1\npackages:\n  - a\n',
  },
  '.yarnrc.yml': {
    label: 'yarn-lock (berry)',
    sample: 'npmMinimalAgeGate: 3d\nnpmPreapprovedPackages:\n  - a\n',
  },
  'bunfig.toml': {
    label: 'bun-lock',
    sample: '[install]\nminimumReleaseAge = 3\nminimumReleaseAgeExcludes = ["a"]\n',
  },
  'Cargo.toml': {
    label: 'cargo-lock',
    sample: '[package]\nname = "r"\n[dependencies]\na = "1"\nb = { version = "1", path = "x" }\n',
  },
  'pyproject.toml': {
    label: 'uv-lock',
    sample: `[project]
name = "r"
dependencies = ["a>=1; python_version > '3'", "b[c]==1"]
[tool.poetry.dependencies]
a = "^1"
[tool.uv]
exclude-newer = "3 days"
[dependency-groups]
dev = ["a"]
`,
  },
  'uv.toml': { label: 'uv-lock', sample: 'exclude-newer = "3 days"\n' },
  Pipfile: {
    label: 'pipfile-lock',
    sample: '[packages]\na = "*"\n[dev-packages]\nb = {version = "1"}\n',
  },
  'go.sum': {
    label: 'go-mod',
    sample: 'a.example/b v1.0.0 h1:x=\na.example/b v1.0.0/go.mod h1:y=\n',
  },
  'pom.xml': {
    label: 'maven-pom-xml',
    sample: `<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version>
<properties><p>1</p></properties>
<dependencies><dependency><groupId>g</groupId><artifactId>b</artifactId><version>\${p}</version></dependency></dependencies>
</project>`,
  },
  'other.txt': {
    label: 'requirements-txt',
    sample: 'a==1.0 \\\n  --hash=sha256:ab\n-r more.txt\n./d-1.0.tar.gz\n',
  },
};
