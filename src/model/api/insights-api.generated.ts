// Generated from apis/insights.v3alpha.json by `npm run generate`. Do not edit.

/** Name of a package within a system. */
export interface PackageKey {
  /** Package management system. */
  readonly system?: 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
  /** Name as the ecosystem writes it. */
  readonly name?: string;
}

/** Name of one version of a package. */
export interface VersionKey {
  /** Package management system. */
  readonly system?: 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
  /** Package name as the ecosystem writes it. */
  readonly name?: string;
  /** Version of the package. */
  readonly version?: string;
}

/** Name of a code project. */
export interface ProjectKey {
  /** `host/owner/repository`. */
  readonly id?: string;
}

/** Name of a security advisory. */
export interface AdvisoryKey {
  /** OSV identifier. */
  readonly id?: string;
}

/** A licence as declared and as understood. */
export interface LicenseDetail {
  /** Licence as the author wrote it, or as detected. */
  readonly license?: string;
  /** SPDX 2.1 expression, or `non-standard`. */
  readonly spdx?: string;
}

/** A link taken from package metadata; unverified. */
export interface Link {
  /** What the link is for. */
  readonly label?: string;
  /** Where it leads. */
  readonly url?: string;
}

/** Provenance read from an attestation; npm only. */
export interface SlsaProvenance {
  /** Repository it was built from. */
  readonly sourceRepository?: string;
  /** Commit it was built from. */
  readonly commit?: string;
  /** Where the attestation lies, if it has an address. */
  readonly url?: string;
  /** Whether the signature bundle was verified. */
  readonly verified?: boolean;
}

/** An attestation of a version. */
export interface Attestation {
  /** Type URL of the attestation. */
  readonly type?: string;
  /** Where the attestation lies, if it has an address. */
  readonly url?: string;
  /** Whether it was verified cryptographically. */
  readonly verified?: boolean;
  /** Repository it names; set for the known types only. */
  readonly sourceRepository?: string;
  /** Commit it names. */
  readonly commit?: string;
}

/** A project related to a version. */
export interface RelatedProject {
  readonly projectKey?: ProjectKey;
  /** How the relation is known. */
  readonly relationProvenance?: 'SLSA_ATTESTATION' | 'GO_ORIGIN' | 'PYPI_PUBLISH_ATTESTATION' | 'RUBYGEMS_PUBLISH_ATTESTATION' | 'UNVERIFIED_METADATA';
  /** What the project is to the version. */
  readonly relationType?: 'SOURCE_REPO' | 'ISSUE_TRACKER';
}

/** An identifier of the version as an upstream source spells it. */
export interface UpstreamIdentifier {
  /** Package name, not normalised. */
  readonly packageName?: string;
  /** Version, not normalised. */
  readonly versionString?: string;
  /** The upstream source. */
  readonly source?: string;
}

/** Status that the registry gives the package. Newer than the specification: may be absent. */
export interface ProjectStatus {
  /** Status in the registry's words. */
  readonly status?: string;
  /** Why, if the registry says so. */
  readonly reason?: string;
}

/** One version of a package. */
export interface Version {
  /** Canonical name; may differ from the one asked for. */
  readonly versionKey?: VersionKey;
  /** Canonical package URL. */
  readonly purl?: string;
  /** When the package authority says it was published. */
  readonly publishedAt?: string;
  /** Whether it is installed when no version is named. */
  readonly isDefault?: boolean;
  /** Whether it is marked as deprecated. */
  readonly isDeprecated?: boolean;
  /** The registry's deprecation message. Newer than the specification: may be absent. */
  readonly deprecatedReason?: string;
  /** SPDX 2.1 expressions; `non-standard` where none fits; empty when unknown. */
  readonly licenses?: readonly string[];
  /** Licences in detail; empty when unknown. */
  readonly licenseDetails?: readonly LicenseDetail[];
  /** Advisories that affect this version itself, not its dependencies. */
  readonly advisoryKeys?: readonly AdvisoryKey[];
  /** Links from the metadata. */
  readonly links?: readonly Link[];
  /** Provenance from attestations; npm only. */
  readonly slsaProvenances?: readonly SlsaProvenance[];
  /** Attestations of the version. */
  readonly attestations?: readonly Attestation[];
  /** Registry URLs, for systems with a central registry. */
  readonly registries?: readonly string[];
  /** Projects related to the version. */
  readonly relatedProjects?: readonly RelatedProject[];
  /** Identifiers met upstream. */
  readonly upstreamIdentifiers?: readonly UpstreamIdentifier[];
  readonly projectStatus?: ProjectStatus;
}

/** A version as listed with its package. */
export interface PackageVersion {
  readonly versionKey?: VersionKey;
  /** Canonical package URL. */
  readonly purl?: string;
  /** When it was published. */
  readonly publishedAt?: string;
  /** Whether it is the default version. */
  readonly isDefault?: boolean;
  /** Whether it is marked as deprecated. */
  readonly isDeprecated?: boolean;
  /** The registry's deprecation message. Newer than the specification: may be absent. */
  readonly deprecatedReason?: string;
}

/** A package and its versions. */
export interface Package {
  /** Canonical name. */
  readonly packageKey?: PackageKey;
  /** Package URL without a version. */
  readonly purl?: string;
  /** Known versions. */
  readonly versions?: readonly PackageVersion[];
}

/** One entry of a version batch. */
export interface VersionRequest {
  readonly versionKey: VersionKey;
}

/** Body of GetVersionBatch. */
export interface VersionBatchRequest {
  /** At most 5000 entries. */
  readonly requests: readonly VersionRequest[];
  /** `nextPageToken` of the page before; everything else as in the first request. */
  readonly pageToken?: string;
}

/** Answer to one entry. */
export interface VersionResponse {
  /** The entry as understood by the service. */
  readonly request?: VersionRequest;
  /** Absent when there is no such version. */
  readonly version?: Version;
}

/** Answer of GetVersionBatch. */
export interface VersionBatch {
  /** One for each entry, in order. */
  readonly responses?: readonly VersionResponse[];
  /** Empty on the last page. */
  readonly nextPageToken?: string;
}

/** An unresolved requirement. */
export interface Requirement {
  /** Package name. */
  readonly name?: string;
  /** Requirement in the system's own notation. */
  readonly requirement?: string;
}

/** Requirements for one target framework. */
export interface NuGetDependencyGroup {
  /** Target framework; empty for all. */
  readonly targetFramework?: string;
  /** Requirements of the group. */
  readonly dependencies?: readonly Requirement[];
}

/** Requirements of a NuGet version. */
export interface NuGetRequirements {
  /** Groups by target framework. */
  readonly dependencyGroups?: readonly NuGetDependencyGroup[];
}

/** Requirements of an npm manifest. */
export interface NpmDependencies {
  /** Runtime requirements. */
  readonly dependencies?: readonly Requirement[];
  /** Development requirements. */
  readonly devDependencies?: readonly Requirement[];
  /** Optional requirements. */
  readonly optionalDependencies?: readonly Requirement[];
  /** Peer requirements. */
  readonly peerDependencies?: readonly Requirement[];
  /** Names of bundled packages. */
  readonly bundleDependencies?: readonly string[];
}

/** A manifest inside the tarball. */
export interface NpmBundle {
  /** Path within the tarball. */
  readonly path?: string;
  /** Package name. */
  readonly name?: string;
  /** Package version. */
  readonly version?: string;
  readonly dependencies?: NpmDependencies;
}

/** Requirements of an npm version. */
export interface NpmRequirements {
  readonly dependencies?: NpmDependencies;
  /** Manifests in the tarball's node_modules folders, nested ones too. */
  readonly bundled?: readonly NpmBundle[];
}

/** Name of a Maven version. */
export interface MavenVersionKey {
  /** Package management system. */
  readonly system?: 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
  /** `group:artifact`. */
  readonly name?: string;
  /** Version. */
  readonly version?: string;
}

/** A dependency as the POM declares it. */
export interface MavenDependency {
  /** `group:artifact`. */
  readonly name?: string;
  /** Declared version; may hold property references. */
  readonly version?: string;
  /** Classifier. */
  readonly classifier?: string;
  /** Type; `jar` when not declared. */
  readonly type?: string;
  /** Scope. */
  readonly scope?: string;
  /** Declared optionality, as text. */
  readonly optional?: string;
  /** Excluded packages; wildcards allowed. */
  readonly exclusions?: readonly string[];
}

/** A POM property. */
export interface MavenProperty {
  /** Name. */
  readonly name?: string;
  /** Value, not interpolated. */
  readonly value?: string;
}

/** A repository that a POM declares. */
export interface MavenRepository {
  /** Identifier. */
  readonly id?: string;
  /** Address. */
  readonly url?: string;
  /** Layout. */
  readonly layout?: string;
  /** Whether releases are enabled, as text. */
  readonly releasesEnabled?: string;
  /** Whether snapshots are enabled, as text. */
  readonly snapshotsEnabled?: string;
}

/** Activation by JDK. */
export interface MavenActivationJdk {
  /** JDK version or range. */
  readonly jdk?: string;
}

/** Activation by operating system. */
export interface MavenActivationOs {
  /** Name. */
  readonly name?: string;
  /** Family. */
  readonly family?: string;
  /** Architecture. */
  readonly arch?: string;
  /** Version. */
  readonly version?: string;
}

/** Activation by property. */
export interface MavenActivationProperty {
  readonly property?: MavenProperty;
}

/** Activation by file. */
export interface MavenActivationFile {
  /** File that has to exist. */
  readonly exists?: string;
  /** File that has to be missing. */
  readonly missing?: string;
}

/** When a profile is active. */
export interface MavenActivation {
  /** Whether it is active by default, as text. */
  readonly activeByDefault?: string;
  readonly jdk?: MavenActivationJdk;
  readonly os?: MavenActivationOs;
  readonly property?: MavenActivationProperty;
  readonly file?: MavenActivationFile;
}

/** A POM profile. */
export interface MavenProfile {
  /** Identifier. */
  readonly id?: string;
  readonly activation?: MavenActivation;
  /** Dependencies. */
  readonly dependencies?: readonly MavenDependency[];
  /** Managed dependencies. */
  readonly dependencyManagement?: readonly MavenDependency[];
  /** Properties. */
  readonly properties?: readonly MavenProperty[];
  /** Repositories. */
  readonly repositories?: readonly MavenRepository[];
}

/** What the POM declares; parents are not merged. */
export interface MavenRequirements {
  readonly parent?: MavenVersionKey;
  /** Dependencies. */
  readonly dependencies?: readonly MavenDependency[];
  /** Managed dependencies. */
  readonly dependencyManagement?: readonly MavenDependency[];
  /** Properties. */
  readonly properties?: readonly MavenProperty[];
  /** Repositories. */
  readonly repositories?: readonly MavenRepository[];
  /** Profiles. */
  readonly profiles?: readonly MavenProfile[];
}

/** Requirements of a gem. */
export interface RubyGemsRequirements {
  /** Runtime requirements. */
  readonly runtimeDependencies?: readonly Requirement[];
  /** Development requirements. */
  readonly devDependencies?: readonly Requirement[];
}

/** A requirement of a Python distribution. */
export interface PyPIRequirement {
  /** Project name. */
  readonly projectName?: string;
  /** Extras asked for. */
  readonly extras?: string;
  /** Version specifier. */
  readonly versionSpecifier?: string;
  /** Environment marker. */
  readonly environmentMarker?: string;
}

/** Requirements of a Python distribution. Newer than the specification: may be absent. */
export interface PyPIRequirements {
  /** Requirements. */
  readonly dependencies?: readonly PyPIRequirement[];
}

/** Requirements of a version; only the member of its system is set. */
export interface Requirements {
  readonly nuget?: NuGetRequirements;
  readonly npm?: NpmRequirements;
  readonly maven?: MavenRequirements;
  readonly rubygems?: RubyGemsRequirements;
  readonly pypi?: PyPIRequirements;
}

/** A node of a resolved graph. */
export interface DependencyNode {
  readonly versionKey?: VersionKey;
  /** Whether it is bundled; its name then holds the chain, joined with `>`. */
  readonly bundled?: boolean;
  /** How it relates to the root. */
  readonly relation?: 'SELF' | 'DIRECT' | 'INDIRECT';
  /** Errors met at this node, as text. */
  readonly errors?: readonly string[];
}

/** An edge of a resolved graph. */
export interface DependencyEdge {
  /** Index of the declaring node. */
  readonly fromNode?: number;
  /** Index of the resolved node. */
  readonly toNode?: number;
  /** Requirement that the edge resolves. */
  readonly requirement?: string;
}

/** A resolved dependency graph; its first node is the root. */
export interface Dependencies {
  /** Nodes. */
  readonly nodes?: readonly DependencyNode[];
  /** Edges. */
  readonly edges?: readonly DependencyEdge[];
  /** Error of the graph as a whole, as text. */
  readonly error?: string;
}

/** Number of packages that depend on a version. */
export interface Dependents {
  /** All dependents. */
  readonly dependentCount?: number;
  /** Direct dependents. */
  readonly directDependentCount?: number;
  /** Indirect dependents. */
  readonly indirectDependentCount?: number;
}

/** Calls to a capability. */
export interface Capability {
  /** Name of the capability. */
  readonly capability?: string;
  /** Calls from the package itself. */
  readonly directCount?: number;
  /** Calls by way of other packages. */
  readonly indirectCount?: number;
}

/** Capabilities of a Go package version. */
export interface Capabilities {
  /** Capabilities. */
  readonly capabilities?: readonly Capability[];
}

/** Repository that a scorecard was made of. */
export interface ScorecardRepository {
  /** Repository. */
  readonly name?: string;
  /** Commit. */
  readonly commit?: string;
}

/** Program that made a scorecard. */
export interface ScorecardProgram {
  /** Version. */
  readonly version?: string;
  /** Commit. */
  readonly commit?: string;
}

/** What a check means. */
export interface ScorecardCheckDocumentation {
  /** One line. */
  readonly shortDescription?: string;
  /** Where it is described. */
  readonly url?: string;
}

/** One check of a scorecard. */
export interface ScorecardCheck {
  /** Name. */
  readonly name?: string;
  readonly documentation?: ScorecardCheckDocumentation;
  /** 0 to 10, higher is better; negative when the check did not run. */
  readonly score?: number;
  /** Why that score. */
  readonly reason?: string;
  /** Details. */
  readonly details?: readonly string[];
}

/** Security scorecard of a project. */
export interface Scorecard {
  /** When it was made, at midnight UTC. */
  readonly date?: string;
  readonly repository?: ScorecardRepository;
  readonly scorecard?: ScorecardProgram;
  /** Checks. */
  readonly checks?: readonly ScorecardCheck[];
  /** Weighted mean, 0 to 10. */
  readonly overallScore?: number;
  /** Further metadata. */
  readonly metadata?: readonly string[];
}

/** Fuzzing details of a project. */
export interface OssFuzz {
  /** Lines of code. */
  readonly lineCount?: number;
  /** Lines covered by fuzzing. */
  readonly lineCoverCount?: number;
  /** Date of the run, at midnight UTC. */
  readonly date?: string;
  /** Address of the configuration. */
  readonly configUrl?: string;
}

/** A code project. */
export interface Project {
  readonly projectKey?: ProjectKey;
  /** Open issues. */
  readonly openIssuesCount?: number;
  /** Stars. */
  readonly starsCount?: number;
  /** Forks. */
  readonly forksCount?: number;
  /** Licence that the host reports. */
  readonly license?: string;
  /** Description that the host reports. */
  readonly description?: string;
  /** Homepage that the host reports. */
  readonly homepage?: string;
  readonly scorecard?: Scorecard;
  readonly ossFuzz?: OssFuzz;
}

/** One entry of a project batch. */
export interface ProjectRequest {
  readonly projectKey: ProjectKey;
}

/** Body of GetProjectBatch. */
export interface ProjectBatchRequest {
  /** At most 5000 entries. */
  readonly requests: readonly ProjectRequest[];
  /** `nextPageToken` of the page before; everything else as in the first request. */
  readonly pageToken?: string;
}

/** Answer to one entry. */
export interface ProjectResponse {
  readonly request?: ProjectRequest;
  /** Absent when there is no such project. */
  readonly project?: Project;
}

/** Answer of GetProjectBatch. */
export interface ProjectBatch {
  /** One for each entry, in order. */
  readonly responses?: readonly ProjectResponse[];
  /** Empty on the last page. */
  readonly nextPageToken?: string;
}

/** A version made from a project. */
export interface ProjectPackageVersion {
  readonly versionKey?: VersionKey;
  /** What the project is to the version. */
  readonly relationType?: 'SOURCE_REPO' | 'ISSUE_TRACKER';
  /** How the relation is known. */
  readonly relationProvenance?: 'SLSA_ATTESTATION' | 'GO_ORIGIN' | 'PYPI_PUBLISH_ATTESTATION' | 'RUBYGEMS_PUBLISH_ATTESTATION' | 'UNVERIFIED_METADATA';
  /** Provenance from attestations; npm only. */
  readonly slsaProvenances?: readonly SlsaProvenance[];
  /** Attestations. */
  readonly attestations?: readonly Attestation[];
}

/** Versions made from a project; at most 1500. */
export interface ProjectPackageVersions {
  /** Versions; those known from attestations first. */
  readonly versions?: readonly ProjectPackageVersion[];
}

/** A security advisory. */
export interface Advisory {
  readonly advisoryKey?: AdvisoryKey;
  /** Address of the advisory. */
  readonly url?: string;
  /** One line for people. */
  readonly title?: string;
  /** Other identifiers, CVEs among them. */
  readonly aliases?: readonly string[];
  /** CVSS v3 score, 0 to 10. 0 with an empty vector: the advisory has none. */
  readonly cvss3Score?: number;
  /** CVSS v3 vector. */
  readonly cvss3Vector?: string;
}

/** A package with a similar name. */
export interface SimilarlyNamedPackage {
  readonly packageKey?: PackageKey;
}

/** Packages with similar names. */
export interface SimilarlyNamedPackages {
  /** Canonical name of the package asked for. */
  readonly packageKey?: PackageKey;
  /** Similar ones. */
  readonly packages?: readonly SimilarlyNamedPackage[];
}

/** A release artifact. */
export interface Artifact {
  /** Where it comes from. */
  readonly url?: string;
}

/** A version found. */
export interface QueryResultEntry {
  readonly version?: Version;
  /** Artifacts with the hash asked for. */
  readonly artifacts?: readonly Artifact[];
}

/** Versions found; at most 1000. */
export interface QueryResult {
  /** Versions. */
  readonly results?: readonly QueryResultEntry[];
}

/** What a package URL names: a package or a version. */
export interface PurlLookupResult {
  readonly package?: Package;
  readonly version?: Version;
}

/** One entry of a purl batch. */
export interface PurlRequest {
  /** Package URL with a version, without qualifiers or subpath. */
  readonly purl: string;
}

/** Body of PurlLookupBatch. */
export interface PurlLookupBatchRequest {
  /** At most 5000 entries. */
  readonly requests: readonly PurlRequest[];
  /** `nextPageToken` of the page before; everything else as in the first request. */
  readonly pageToken?: string;
}

/** Answer to one entry. */
export interface PurlResponse {
  /** The entry as understood by the service. */
  readonly request?: PurlRequest;
  /** Absent when nothing was found. */
  readonly result?: PurlLookupResult;
}

/** Answer of PurlLookupBatch. */
export interface PurlLookupBatchResult {
  /** One for each entry, in order. */
  readonly responses?: readonly PurlResponse[];
  /** Empty on the last page. */
  readonly nextPageToken?: string;
}

/** An image repository. */
export interface ContainerImage {
  /** Image repository. */
  readonly repository?: string;
}

/** Image repositories found; at most 1000. */
export interface ContainerImages {
  /** Image repositories. */
  readonly results?: readonly ContainerImage[];
}

/** Parameters, request and answer of each method, by its id. */
export interface InsightsMethods {
  /** A package with its versions; the default one is marked when known. */
  'insights.getPackage': {
    readonly params: {
      readonly 'packageKey.system': 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
      readonly 'packageKey.name': string;
    };
    readonly body: undefined;
    readonly response: Package;
  };
  /** A version with its licences and the advisories that affect it directly. */
  'insights.getVersion': {
    readonly params: {
      readonly 'versionKey.system': 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
      readonly 'versionKey.name': string;
      readonly 'versionKey.version': string;
    };
    readonly body: undefined;
    readonly response: Version;
  };
  /** GetVersion for up to 5000 versions. Read-only. */
  'insights.getVersionBatch': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: VersionBatchRequest;
    readonly response: VersionBatch;
  };
  /** Unresolved requirements of a Maven, npm, NuGet or RubyGems version. */
  'insights.getRequirements': {
    readonly params: {
      readonly 'versionKey.system': 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
      readonly 'versionKey.name': string;
      readonly 'versionKey.version': string;
    };
    readonly body: undefined;
    readonly response: Requirements;
  };
  /** Resolved dependency graph of a Cargo, Maven, npm or PyPI version. Not found means not computed. */
  'insights.getDependencies': {
    readonly params: {
      readonly 'versionKey.system': 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
      readonly 'versionKey.name': string;
      readonly 'versionKey.version': string;
    };
    readonly body: undefined;
    readonly response: Dependencies;
  };
  /** Number of dependents of a Cargo, Maven, npm or PyPI version. */
  'insights.getDependents': {
    readonly params: {
      readonly 'versionKey.system': 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
      readonly 'versionKey.name': string;
      readonly 'versionKey.version': string;
    };
    readonly body: undefined;
    readonly response: Dependents;
  };
  /** Capabilities of a Go package version. */
  'insights.getCapabilities': {
    readonly params: {
      readonly 'versionKey.system': 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
      readonly 'versionKey.name': string;
      readonly 'versionKey.version': string;
    };
    readonly body: undefined;
    readonly response: Capabilities;
  };
  /** A project on one of the supported code hosts. */
  'insights.getProject': {
    readonly params: {
      readonly 'projectKey.id': string;
    };
    readonly body: undefined;
    readonly response: Project;
  };
  /** GetProject for up to 5000 projects. Read-only. */
  'insights.getProjectBatch': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: ProjectBatchRequest;
    readonly response: ProjectBatch;
  };
  /** Package versions made from a project; at most 1500. */
  'insights.getProjectPackageVersions': {
    readonly params: {
      readonly 'projectKey.id': string;
    };
    readonly body: undefined;
    readonly response: ProjectPackageVersions;
  };
  /** An advisory of the OSV database. */
  'insights.getAdvisory': {
    readonly params: {
      readonly 'advisoryKey.id': string;
    };
    readonly body: undefined;
    readonly response: Advisory;
  };
  /** Packages with names similar to the one given; not symmetric. */
  'insights.getSimilarlyNamedPackages': {
    readonly params: {
      readonly 'packageKey.system': 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';
      readonly 'packageKey.name': string;
    };
    readonly body: undefined;
    readonly response: SimilarlyNamedPackages;
  };
  /** Versions by content hash, by name, or both; at most 1000. */
  'insights.query': {
    readonly params: {
      readonly 'hash.type'?: 'MD5' | 'SHA1' | 'SHA256' | 'SHA512' | undefined;
      readonly 'hash.value'?: string | undefined;
      readonly 'versionKey.system'?: 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET' | undefined;
      readonly 'versionKey.name'?: string | undefined;
      readonly 'versionKey.version'?: string | undefined;
    };
    readonly body: undefined;
    readonly response: QueryResult;
  };
  /** A package or a version by package URL. */
  'insights.purlLookup': {
    readonly params: {
      readonly purl: string;
    };
    readonly body: undefined;
    readonly response: PurlLookupResult;
  };
  /** PurlLookup for up to 5000 package URLs with versions. Read-only. */
  'insights.purlLookupBatch': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: PurlLookupBatchRequest;
    readonly response: PurlLookupBatchResult;
  };
  /** Image repositories that hold a chain of layers; at most 1000. */
  'insights.queryContainerImages': {
    readonly params: {
      readonly chainId: string;
    };
    readonly body: undefined;
    readonly response: ContainerImages;
  };
}
