// Generated from apis/lockhound.v1.json by `npm run generate`. Do not edit.

/** What the next refresh of everything believes. */
export interface AcceptedLosses {
  /** What was doubted in each shard. */
  readonly accepted: readonly DataLoss[];
}

/** The advisory behind a finding. */
export interface AdvisoryEvidence {
  /** Identifier that is shown. */
  readonly id: string;
  /** Its other identifiers. */
  readonly aliases: readonly string[];
  /** Title. */
  readonly title: string;
  /** Where it is published. */
  readonly url: string;
  /** CVSS score. */
  readonly score?: number | undefined;
  /** CVSS vector. */
  readonly vector?: string | undefined;
}

/** A public image whose layers are the lowest ones of another image. `before`: the last base that was another one. */
export interface BaseImage {
  /** Chain identifier of its uppermost layer. */
  readonly chainId?: string | undefined;
  /** Number of its layers. */
  readonly layers?: number | undefined;
  /** Repositories that have it; at most 20. */
  readonly repositories?: readonly string[] | undefined;
}

/** A page of changes, newest first. */
export interface ChangeList {
  /** The entries of this page. */
  readonly scans: readonly ScanChanges[];
  /** Present when there are further entries: the value of `pageToken` for the next page. */
  readonly nextPageToken?: string | undefined;
  /** What the answer lacks because it cannot be read; absent for tokens of some targets. */
  readonly unreadable?: readonly string[] | undefined;
}

/** Data in place of that of a rejected payload. */
export interface CorrectedPayload {
  /** JSON text. Default: its own data. */
  readonly data?: string | undefined;
}

/** Numbers by name; names without any are absent. */
export type Counts = Readonly<Record<string, number>>;

/** A new token. Its text is shown once. */
export interface CreatedToken {
  /** Id of the token. */
  readonly id: string;
  /** Text of the token, for the header `Authorization: Bearer`. */
  readonly token: string;
  /** When it expires. */
  readonly expiresAt?: string | undefined;
}

/** What the service no longer states. */
export interface DataLoss {
  /** Number of facts. */
  readonly lost: number;
  /** Of how many. */
  readonly compared: number;
  /** Which statements, such as `NPM advisories`. */
  readonly of?: readonly string[] | undefined;
  /** Who accepted it (`by`), and when (`at`). */
  readonly accepted?: JsonObject | undefined;
}

/** The fleet on one day. */
export interface DayCount {
  /** The day in UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Number of targets. */
  readonly targets: number;
  /** Open findings by severity, without notes. */
  readonly open: Counts;
}

/** The delivery of an alert to a receiver. */
export interface Delivery {
  /** Id of the notification, the receiver's `webhook-id`. */
  readonly id: string;
  /** Name of the route. */
  readonly route: string;
  /** Id of the target. */
  readonly target: string;
  /** Id of the scan. */
  readonly scan: string;
  /** When the scan was requested. */
  readonly date: string;
  /** State. */
  readonly state: 'waiting' | 'retrying' | 'held' | 'delivered' | 'failed';
  /** Why it is not delivered. */
  readonly reason?: string | undefined;
  /** Number of its changes. */
  readonly changes: number;
  /** When it was recorded. */
  readonly filedAt: string;
  /** When its state changed last. */
  readonly updatedAt: string;
  /** When it is sent again. */
  readonly nextAttemptAt?: string | undefined;
  /** Number of attempts. */
  readonly attempts: number;
  /** HTTP status of the last attempt. */
  readonly lastStatus?: number | undefined;
}

/** An attempt to send an alert. */
export interface DeliveryAttempt {
  /** When it began. */
  readonly at: string;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /** Size of the body. */
  readonly bytes?: number | undefined;
  /** Changes that the body only counts. */
  readonly leftOut?: number | undefined;
  /** HTTP status of the answer. */
  readonly status?: number | undefined;
  /** Why there was no answer. */
  readonly error?: string | undefined;
  /** Beginning of the answer. */
  readonly answer?: string | undefined;
}

/** A delivery with its attempts. */
export interface DeliveryDetails {
  readonly delivery: Delivery;
  /** Attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Its changes, the worst first; absent after delivery. */
  readonly changes?: readonly unknown[] | undefined;
}

/** A page of deliveries, by their last change, newest first. */
export interface DeliveryList {
  /** The entries of this page. */
  readonly deliveries: readonly Delivery[];
  /** Routes that send nothing until they are resumed. A caller who sees some targets gets those of held deliveries of this page. */
  readonly stoppedRoutes: readonly StoppedRoute[];
  /** Present when there are further entries: the value of `pageToken` for the next page. */
  readonly nextPageToken?: string | undefined;
}

/** What was deleted. */
export interface DroppedPayloads {
  /** Number of payloads. */
  readonly dropped: number;
}

/** Nothing. */
export interface Empty {
}

/** How long an open finding has been open. */
export interface FindingAge {
  /** When it opened. */
  readonly since: string;
  /** Whole days since then. */
  readonly days: number;
}

/** An issue that a rule found in a package. */
export interface FindingBody {
  /** Identifies the issue of a package in a target over all scans. */
  readonly fingerprint: string;
  /** Name of the rule. */
  readonly rule: string;
  /** A note never alerts. */
  readonly level: 'note' | 'alert';
  /** Severity. */
  readonly severity: 'critical' | 'high' | 'medium' | 'unrated' | 'low' | 'none';
  /** What an unrated one counts as. */
  readonly countsAs?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
  /** One line of plain text. */
  readonly title: string;
  readonly package: FindingPackage;
  /** Its places in the target. */
  readonly locations: readonly Location[];
  readonly advisory?: AdvisoryEvidence | undefined;
  /** Distinguishes findings without an advisory. */
  readonly issue?: string | undefined;
  /** What to do, where the rule knows. */
  readonly advice?: string | undefined;
  /** Known upgrades of an open finding. */
  readonly fixes?: readonly FindingFix[] | undefined;
  readonly suppressed?: Suppressed | undefined;
  readonly priority?: Priority | undefined;
  /** Whether the issue is in the catalogue of known exploited vulnerabilities. */
  readonly kev?: JsonObject | undefined;
  /** Probability of exploitation within 30 days: `score`, `percentile`. */
  readonly epss?: JsonObject | undefined;
  readonly age?: FindingAge | undefined;
  /** When it has to be resolved, where its severity has a limit (`policy.dueIn`). */
  readonly due?: string | undefined;
}

/** Numbers of findings that fit. */
export interface FindingCounts {
  /** All that fit. */
  readonly total: number;
  /** By severity; an unrated one by what it counts as. */
  readonly severities: Counts;
  /** By rule. */
  readonly rules: Counts;
  /** By ecosystem. */
  readonly ecosystems: Counts;
}

/** An upgrade of a package that clears a finding. */
export interface FindingFix {
  /** How it is done: `none` and `unknown` say that no upgrade is known. */
  readonly kind: 'in-range' | 'upgrade-direct' | 'override' | 'held-by-pin' | 'held-by-cooldown' | 'none' | 'unknown';
  /** Version of the package that clears the finding. */
  readonly version?: string | undefined;
}

/** A page of findings. */
export interface FindingList {
  /** The entries of this page. */
  readonly findings: readonly FleetFinding[];
  /** Number of all entries that fit. */
  readonly total: number;
  /** Present when there are further entries: the value of `pageToken` for the next page. */
  readonly nextPageToken?: string | undefined;
  /** What the answer lacks because it cannot be read; absent for tokens of some targets. */
  readonly unreadable?: readonly string[] | undefined;
}

/** The package of a finding. */
export interface FindingPackage {
  /** Purl type of the ecosystem. */
  readonly ecosystem: string;
  /** Name of the package. */
  readonly name: string;
  /** Version of the package. */
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
  /** Whether it is a direct dependency; absent when that is not known. */
  readonly direct?: boolean | undefined;
  /** Conditions under which it is installed. */
  readonly groups: readonly string[];
}

/** A finding of one of all targets. */
export interface FleetFinding {
  /** Id of the target. */
  readonly target: string;
  /** Labels of the target. */
  readonly labels: Labels;
  /** State of the finding. */
  readonly status: 'open' | 'resolved';
  /** When it opened. */
  readonly openedAt: string;
  /** When its state changed last. */
  readonly changedAt: string;
  /** Number of all its locations; lists show the first 3, and one finding alone at most 1,000. */
  readonly places: number;
  readonly finding: FindingBody;
}

/** What was removed with a target. */
export interface ForgottenTarget {
  /** Id of the target. */
  readonly target: string;
  /** Number of its lockfiles. */
  readonly lockfiles: number;
  /** Inventories that no other target has. */
  readonly inventories: number;
  /** Scans whose changes waited for a periodic digest. */
  readonly digestEntries: number;
  /** Parts that could not be read. */
  readonly unreadable: readonly string[];
}

/** The answer to one question about the deployment. */
export interface HealthPart {
  /** The question. */
  readonly part: 'flow' | 'runs' | 'facts' | 'telemetry' | 'limits';
  /** The answer in a word. */
  readonly grade: 'fine' | 'unknown' | 'degraded' | 'broken';
  /** The answer in words, with numbers. */
  readonly says: string;
  /** What to do; absent when nothing has to be done. */
  readonly remedy?: string | undefined;
}

/** The state of the whole deployment in words. */
export interface HealthVerdict {
  /** `fine`: nothing to do. `unknown`: something could not be found out. `degraded`: it works, and somebody should look. `broken`: it does not work. */
  readonly grade: 'fine' | 'unknown' | 'degraded' | 'broken';
  /** One sentence. */
  readonly summary: string;
  /** At least one for each question. */
  readonly parts: readonly HealthPart[];
  /** When it was judged. */
  readonly at: string;
}

/** A package version in a lockfile of a target. */
export interface HeldPackage {
  /** Id of the target. */
  readonly target: string;
  readonly labels: Labels;
  /** Path of the lockfile. */
  readonly lockfile: string;
  /** Line of the entry, from 1. */
  readonly line?: number | undefined;
  /** Purl type. */
  readonly ecosystem: string;
  /** Name of the package. */
  readonly name: string;
  /** Version as the lockfile states it. */
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
  /** Whether it is a direct dependency. */
  readonly direct?: boolean | undefined;
  /** Conditions under which it is installed. */
  readonly groups: readonly string[];
  /** Packages from a direct dependency down to the package itself. */
  readonly dependencyPath: readonly string[];
  /** Present when the package is not looked up. */
  readonly outcome?: 'resolved' | 'missing' | 'unsupported' | 'private' | 'failed' | 'uncovered' | undefined;
  /** Why it is not looked up. */
  readonly reason?: string | undefined;
}

/** What a VEX document changed. */
export interface ImportedVex {
  /** Name of its file. */
  readonly path: string;
  /** Id of the document. */
  readonly id: string;
  /** Number of suppressions. */
  readonly applied: number;
  /** Number of statements that findings count, by the packages and targets that they name. */
  readonly overruling: number;
  /** Suppressions of an earlier version of the document, without effect from now on. */
  readonly removed: number;
  /** Statements that were not applied. */
  readonly notApplied: readonly NotApplied[];
}

/** The packages of one lockfile of a target. */
export interface Inventory {
  /** Path of the lockfile. */
  readonly path: string;
  /** Name of the format. */
  readonly format: string;
  /** The packages of this page. */
  readonly packages: readonly InventoryPackage[];
  /** Number of all packages of the lockfile that fit. */
  readonly total: number;
  /** The conditions under which its packages are installed. */
  readonly groups: readonly string[];
  /** Parts of the file that could not be read. */
  readonly problems: readonly Problem[];
  /** Present when there are further packages. */
  readonly nextPageToken?: string | undefined;
}

/** A package of a lockfile. */
export interface InventoryPackage {
  /** Unique in its lockfile. */
  readonly id: string;
  /** Purl type. */
  readonly ecosystem: string;
  /** Name of the package. */
  readonly name: string;
  /** Version as the file states it. */
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
  /** Whether it is a direct dependency. */
  readonly direct?: boolean | undefined;
  /** Conditions under which it is installed. */
  readonly groups: readonly string[];
  /** Line of the entry, from 1. */
  readonly line?: number | undefined;
  /** Ids of the packages that it depends on. */
  readonly dependencies?: readonly string[] | undefined;
  /** A shortest path: ids from a direct dependency to the package itself, at most 32; empty when none is known. */
  readonly dependencyPath: readonly string[];
  /** Present when it is not looked up. */
  readonly outcome?: 'resolved' | 'missing' | 'unsupported' | 'private' | 'failed' | 'uncovered' | undefined;
  /** Why it is not looked up. */
  readonly reason?: string | undefined;
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Labels by name. */
export type Labels = Readonly<Record<string, string>>;

/** A place of a package in a target. */
export interface Location {
  /** Path of the lockfile. */
  readonly path: string;
  /** Line of the entry, from 1. */
  readonly line?: number | undefined;
  /** Packages from a direct dependency down to the package itself. */
  readonly dependencyPath: readonly string[];
}

/** A change of a finding. */
export interface LoggedChange {
  /** What happened. */
  readonly transition: 'opened' | 'worsened' | 'reopened' | 'suppressed' | 'resolved';
  /** Fingerprint of the finding. */
  readonly fingerprint: string;
  /** Name of the rule. */
  readonly rule: string;
  /** Level of the finding. */
  readonly level: 'note' | 'alert';
  /** Severity. */
  readonly severity: 'critical' | 'high' | 'medium' | 'unrated' | 'low' | 'none';
  /** Package URL. */
  readonly purl: string;
  /** Title of the finding. */
  readonly title: string;
  /** Id of the advisory, where there is one. */
  readonly advisory?: string | undefined;
}

/** A schedule, written as in the configuration (docs/schedules.md). */
export interface NewSchedule {
  /** Name of the schedule. */
  readonly name: string;
  /** Where its lockfiles come from. */
  readonly source: JsonObject;
  /** Id of the target, or a template with `$PATH`, `$NAME`, `$HOST`, `$SCHEDULE`. */
  readonly target?: string | undefined;
  /** Labels of the targets. */
  readonly labels?: Labels | undefined;
  /** Time between two runs, such as `6h`. */
  readonly every?: string | undefined;
  /** When it runs, such as `0 6 * * 1-5`, in place of `every`. */
  readonly cron?: string | undefined;
  /** Time zone of `cron`. Default: UTC. */
  readonly timeZone?: string | undefined;
  /** Each run is delayed by a random time of at most this. */
  readonly jitter?: string | undefined;
}

/** A suppression, written as in the configuration (docs/suppressions.md). */
export interface NewSuppression {
  /** Why the findings do not matter. */
  readonly reason: string;
  /** Id of the target; `*` matches any text. */
  readonly target?: string | undefined;
  readonly labels?: Labels | undefined;
  /** Package URL, with a version or range or neither. */
  readonly package?: string | undefined;
  /** Range of versions. */
  readonly versions?: string | undefined;
  /** Ids or aliases of the advisory. */
  readonly advisory?: readonly string[] | undefined;
  /** Name of the rule. */
  readonly rule?: string | undefined;
  /** Path of the lockfile; `*` matches any text. */
  readonly path?: string | undefined;
  /** Whether it is meant for all packages. Needed where there is neither `package` nor `advisory`. */
  readonly all?: boolean | undefined;
  /** Last day, a time, or a duration such as `90d`. */
  readonly expires?: string | undefined;
  /** Who decided it. Default: the caller, whom the record names in any case. */
  readonly author?: string | undefined;
}

/** A token to create. */
export interface NewToken {
  /** Name, for people. */
  readonly name: string;
  /** What it may do. */
  readonly role?: 'read' | 'submit' | 'admin' | undefined;
  /** Targets that it may see. Default: all. */
  readonly targets?: readonly string[] | undefined;
  /** When it expires, as a duration such as `90d`. Default: never. */
  readonly expires?: string | undefined;
}

/** A statement that was not applied. */
export interface NotApplied {
  /** Line of the document. */
  readonly line: number;
  /** Why. */
  readonly reason: string;
}

/** What targets hold of a package when none holds a version that the query selects. */
export interface OtherVersions {
  /** Number of targets that hold one. */
  readonly targets: number;
  /** Number of versions. */
  readonly count: number;
  /** Purls of the newest ten, the newest first; by ecosystem. */
  readonly newest: readonly string[];
}

/** The fleet in numbers. */
export interface Overview {
  /** Number of targets. */
  readonly targets: number;
  /** Sum of the packages of all targets. */
  readonly packages: number;
  /** Targets whose last scan could not see everything. */
  readonly incomplete: number;
  /** Targets with a package about which the service has not answered for longer than `watch.staleAfter`. */
  readonly stale: number;
  /** Number of targets by the severity of their worst open finding; `clear` counts those without one. */
  readonly worst: Counts;
  /** Open findings by severity, without notes. */
  readonly open: Counts;
  /** Alerts that wait, are retried or are held. */
  readonly openDeliveries: number;
  /** Alerts that failed permanently. */
  readonly failedDeliveries: number;
  /** Routes that send nothing until they are resumed; for a caller who sees some targets only, those that hold alerts of them. */
  readonly stoppedRoutes: readonly StoppedRoute[];
  /** Payloads that were rejected. Absent for a caller who sees some targets only. */
  readonly rejected?: number | undefined;
  /** Targets whose sources cannot be read. */
  readonly failingSources: number;
  /** One sentence for each stored value that cannot be read. */
  readonly unreadable: readonly string[];
  /** Until when this view of the fleet has followed the store. */
  readonly readAt: string;
  /** Findings that are not in the lists, because the view of the fleet is full. */
  readonly leftOut: number;
}

/** A target that holds versions of a package. */
export interface PackageHolder {
  /** Id of the target. */
  readonly target: string;
  /** Package URLs of its versions. */
  readonly purls: readonly string[];
}

/** A version of a package that the fleet holds or held. */
export interface PackageVersion {
  /** Purl type. */
  readonly ecosystem: string;
  /** Name of the package. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
  /** When it was published; absent where that is not known. */
  readonly publishedAt?: string | undefined;
  /** When a target locked it for the first time; absent for versions from before this was recorded. */
  readonly firstSeenAt?: string | undefined;
  /** Targets that hold it now. */
  readonly targets: number;
  /** What an inspection found, the strongest reason first. */
  readonly signals: readonly string[];
  /** Sum of the points of the signals. */
  readonly score: number;
}

/** The versions of a package in the fleet, and the targets that hold them. */
export interface PackageVersions {
  /** Versions that targets hold or held, the one that was seen last first. */
  readonly versions: readonly PackageVersion[];
  /** The targets that hold one, by name. */
  readonly targets: readonly PackageHolder[];
  /** The source projects of the versions that were inspected, by id. */
  readonly projects: readonly SourceProject[];
  /** Names that contain the one that was asked for, when nothing was found. */
  readonly similar: readonly string[];
  /** What the answer lacks because it cannot be read; absent for tokens of some targets. */
  readonly unreadable?: readonly string[] | undefined;
}

/** One of the last scans of a target. */
export interface PastScan {
  /** Id of the scan. */
  readonly scan: string;
  /** When it was requested. */
  readonly requestedAt: string;
  /** Numbers of changes by transition. */
  readonly changes?: Counts | undefined;
  /** Number of gaps. */
  readonly gaps?: number | undefined;
  /** True when its lockfiles were those of the scan before. */
  readonly unchanged?: boolean | undefined;
  /** True when only the facts about its packages changed. */
  readonly refreshed?: boolean | undefined;
}

/** A fault in a payload. */
export interface PayloadIssue {
  /** JSON path in the data. */
  readonly path: string;
  /** What is wrong. */
  readonly reason: string;
}

/** How urgent a finding is. */
export interface Priority {
  /** 0 to 100. */
  readonly score: number;
  /** What it is made of. */
  readonly parts: readonly PriorityPart[];
}

/** A part of a priority. */
export interface PriorityPart {
  /** Name of the part. */
  readonly name: string;
  /** Points. */
  readonly points: number;
  /** Why. */
  readonly reason: string;
}

/** A part of a file that could not be read. */
export interface Problem {
  /** Whether packages may be missing. */
  readonly kind: 'unread' | 'unclear';
  /** Line, from 1. */
  readonly line?: number | undefined;
  /** What is wrong. */
  readonly message: string;
}

/** A scorecard of a source project. */
export interface ProjectScorecard {
  /** When it was produced. */
  readonly date: string;
  /** 0 to 10. */
  readonly overall: number;
  /** Scores of the checks by name, 0 to 10; checks that did not run are absent. */
  readonly checks: Counts;
}

/** The queues. */
export interface QueueList {
  /** The queues. */
  readonly queues: readonly QueueState[];
}

/** The jobs of one queue. */
export interface QueueState {
  /** Name of the queue. */
  readonly queue: string;
  /** Jobs that could run. */
  readonly waiting: number;
  /** Jobs that run. */
  readonly active: number;
  /** Jobs that run later. */
  readonly delayed: number;
  /** Jobs that wait for other jobs. */
  readonly parents: number;
  /** Jobs that failed permanently. */
  readonly failed: number;
  /** How long the oldest job that could run has waited, in milliseconds, without intended delays. */
  readonly oldestMs: number;
}

/** A route, and what it would send. */
export interface ReachedRoute {
  /** Name of the route. */
  readonly route: string;
  /** When it sends. */
  readonly mode: 'digest' | 'change' | 'periodic' | 'advisory';
  /** Targets whose change it would send. */
  readonly targets: number;
}

/** A target that holds one of the versions. */
export interface ReachedTarget {
  /** Id of the target. */
  readonly target: string;
  readonly labels: Labels;
  /** Package URLs that an advisory reaches. */
  readonly packages: readonly string[];
  /** Package URLs that are never looked up (private or unsupported): no advisory reaches them. */
  readonly excluded: readonly string[];
  /** Level of the rule `vulnerability` for this target, where `policy.byLabel` has another one. */
  readonly level?: 'off' | 'note' | 'alert' | undefined;
  /** Routes that would send its change. */
  readonly routes: readonly string[];
}

/** Rejected payloads, newest first. */
export interface RejectedList {
  /** The payloads. */
  readonly rejected: readonly RejectedPayload[];
  /** Number of all rejected payloads. */
  readonly total: number;
}

/** The data of a job that does not fit its schema. */
export interface RejectedPayload {
  /** When it was rejected. */
  readonly at: string;
  /** Name of the job. */
  readonly job: string;
  /** Id of the job. */
  readonly id: string;
  /** What is wrong. */
  readonly issues: readonly PayloadIssue[];
  /** The data as received. */
  readonly data: string;
  /** Whether `data` is incomplete. */
  readonly cut?: boolean | undefined;
}

/** The end of a suppression. */
export interface Removal {
  /** When. */
  readonly at: string;
  /** Who decided it. */
  readonly author: string;
  /** Why. */
  readonly reason?: string | undefined;
}

/** The result of resuming a route. */
export interface ResumedRoute {
  /** Name of the route. */
  readonly route: string;
  /** Number of deliveries that are now sent. */
  readonly held: number;
}

/** The results of sending deliveries again. */
export interface RetriedDeliveries {
  /** The deliveries. */
  readonly deliveries: readonly RetriedDelivery[];
}

/** The result of sending a delivery again. */
export interface RetriedDelivery {
  /** Id of the delivery. */
  readonly id: string;
  /** Whether it is sent again; a delivered or held one is not changed. */
  readonly outcome: 'queued' | 'delivered' | 'held' | 'unknown';
  /** An earlier delivery of the same target, which is sent first. */
  readonly behind?: string | undefined;
}

/** The result of putting a payload back. */
export interface RetriedPayload {
  /** Name of the job. */
  readonly job: string;
  /** Id of the job. */
  readonly id: string;
  /** What happened. */
  readonly outcome: 'queued' | 'gone' | 'under-way' | 'invalid';
  /** Why it would be rejected again. */
  readonly issues?: readonly PayloadIssue[] | undefined;
}

/** The results of putting payloads back. */
export interface RetriedPayloads {
  /** The payloads. */
  readonly rejected: readonly RetriedPayload[];
}

/** A scan. */
export interface Scan {
  /** Id of the scan. */
  readonly scan: string;
  /** Id of the target. */
  readonly target: string;
  /** State of the scan. */
  readonly state: 'queued' | 'running' | 'concluded' | 'superseded' | 'failed';
  /** When it was requested. */
  readonly requestedAt: string;
  /** When its first job began. */
  readonly startedAt?: string | undefined;
  /** When it was judged or failed. */
  readonly endedAt?: string | undefined;
  /** Number of lockfiles. */
  readonly lockfiles?: number | undefined;
  /** Number of packages. */
  readonly packages?: number | undefined;
  /** Packages by outcome. */
  readonly outcomes?: Counts | undefined;
  /** Number of lockfiles that could not be read. */
  readonly unread?: number | undefined;
  /** The first of them. */
  readonly unreadFiles?: readonly UnreadFile[] | undefined;
  /** Entries of lockfiles that could not be read. */
  readonly problems?: number | undefined;
  /** Number of gaps. */
  readonly gaps?: number | undefined;
  /** Findings by severity. */
  readonly findings?: Counts | undefined;
  /** Changes by transition. */
  readonly changes?: Counts | undefined;
  /** Whether it could not see everything. */
  readonly incomplete?: boolean | undefined;
  /** Whether it repeated the last result. */
  readonly unchanged?: boolean | undefined;
  /** Deliveries of its changes. */
  readonly deliveries?: number | undefined;
  /** Deliveries that arrived. */
  readonly delivered?: number | undefined;
  /** Deliveries that failed permanently. */
  readonly failedDeliveries?: number | undefined;
  /** Why it failed. */
  readonly reason?: string | undefined;
  /** What a queued or running scan waits for; `scans.get` says it. */
  readonly step?: string | undefined;
}

/** The changes of one scan of one target. */
export interface ScanChanges {
  /** Identifies the entry of the log. */
  readonly id: string;
  /** When the changes were saved. */
  readonly at: string;
  /** Id of the scan. */
  readonly scan: string;
  /** Id of the target. */
  readonly target: string;
  readonly labels: Labels;
  /** When the scan was requested. */
  readonly requestedAt: string;
  /** The changes that fit, worst first. */
  readonly changes: readonly LoggedChange[];
  /** Number of further changes that the log does not list. */
  readonly omitted?: number | undefined;
}

/** A scan with its deliveries. */
export interface ScanDetails {
  readonly scan: Scan;
  /** Deliveries of its changes. */
  readonly deliveries: readonly Delivery[];
}

/** A page of scans: queued and running ones first, then the newest. */
export interface ScanList {
  /** The entries of this page. */
  readonly scans: readonly Scan[];
  /** Present when there are further entries: the value of `pageToken` for the next page. */
  readonly nextPageToken?: string | undefined;
}

/** A schedule with its state. */
export interface Schedule {
  /** Name. */
  readonly name: string;
  /** Where its lockfiles come from. */
  readonly source: JsonObject;
  /** Id of the target, or a template. */
  readonly target?: string | undefined;
  readonly labels: Labels;
  /** Milliseconds between two runs. */
  readonly everyMs?: number | undefined;
  /** Cron expression, instead of `everyMs`. */
  readonly cron?: string | undefined;
  /** Time zone of the cron expression. */
  readonly timeZone?: string | undefined;
  /** Each run is delayed by a random time of at most this. */
  readonly jitterMs: number;
  /** Where it is defined. */
  readonly origin: 'configuration' | 'command';
  /** Whether it is paused. */
  readonly paused: boolean;
  /** When it runs next. */
  readonly nextRun?: string | undefined;
  readonly lastRun?: ScheduleRun | undefined;
  /** Targets that were read at some time. */
  readonly targets: number;
  /** Targets whose sources cannot be read. */
  readonly failing: number;
  /** Targets that the current run has not read yet. */
  readonly open: number;
}

/** A schedule with its runs and targets. */
export interface ScheduleDetails {
  readonly schedule: Schedule;
  /** Last runs, newest first. */
  readonly runs: readonly ScheduleRun[];
  /** Its targets, those that cannot be read first. */
  readonly watched: readonly WatchedTarget[];
}

/** All schedules. */
export interface ScheduleList {
  /** Schedules by name. */
  readonly schedules: readonly Schedule[];
}

/** A run of a schedule. */
export interface ScheduleRun {
  /** Id; sorts by time. */
  readonly run: string;
  /** When it was due. */
  readonly due: string;
  /** When it began. */
  readonly startedAt: string;
  /** What started it. */
  readonly trigger: 'schedule' | 'command';
  /** How it began. */
  readonly state: 'started' | 'skipped' | 'failed';
  /** Number of its targets. */
  readonly targets: number;
  /** Why it was skipped or failed. */
  readonly reason?: string | undefined;
  /** How its readings ended. */
  readonly endings: Counts;
  /** When the last reading so far ended. */
  readonly lastEndedAt?: string | undefined;
}

/** Who calls, and what they may do. */
export interface Session {
  /** Name of the caller. */
  readonly name: string;
  /** What the caller may do. */
  readonly role: 'read' | 'submit' | 'admin';
  /** Ids of the targets that it may see; `*` matches any text. */
  readonly targets: readonly string[];
  /** How it was authenticated. */
  readonly via: 'machine' | 'token' | 'session' | 'proxy';
  /** When the token expires. */
  readonly expiresAt?: string | undefined;
}

/** A token to sign in with. */
export interface SignIn {
  /** Text of the token. */
  readonly token: string;
}

/** What a new advisory about some package versions would reach. */
export interface SimulatedAdvisory {
  /** Severity of the advisory. */
  readonly severity: 'critical' | 'high' | 'medium' | 'low' | 'none' | 'unrated';
  /** What an unrated one counts as. */
  readonly countsAs?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
  /** Level of the rule `vulnerability` for targets without a level of their own: only `alert` sends. */
  readonly level: 'off' | 'note' | 'alert';
  /** All routes. */
  readonly routes: readonly ReachedRoute[];
  /** The targets that hold one of the versions. */
  readonly targets: readonly ReachedTarget[];
  /** Ecosystems in which the text is neither a version nor a range. */
  readonly notCompared: readonly string[];
  /** What the answer lacks because it cannot be read; absent for tokens of some targets. */
  readonly unreadable?: readonly string[] | undefined;
}

/** Why a source cannot be read. */
export interface SourceFault {
  /** Since when. */
  readonly since: string;
  /** Code of the reason. */
  readonly code: string;
  /** The reason. */
  readonly reason: string;
}

/** A source project of a package, with what its scorecard says. */
export interface SourceProject {
  /** `github.com/owner/repository`. */
  readonly id: string;
  /** When its scorecard was looked up last. */
  readonly checkedAt: string;
  readonly scorecard?: ProjectScorecard | undefined;
  /** Which scores fell, and since when. */
  readonly fell?: string | undefined;
}

/** A route that sends nothing until it is resumed. */
export interface StoppedRoute {
  /** Name of the route. */
  readonly route: string;
  /** When it was stopped. */
  readonly at: string;
  /** Why. */
  readonly reason: string;
}

/** A scan to run. */
export interface SubmitScan {
  /** Id of the target. */
  readonly target: string;
  /** Labels of the target. */
  readonly labels?: Labels | undefined;
  /** Its lockfiles. */
  readonly lockfiles?: readonly SubmittedFile[] | undefined;
  /** Where workers read its lockfiles, instead of `lockfiles`. */
  readonly source?: SubmittedSource | undefined;
  /** These are only some of the lockfiles of the target. */
  readonly partial?: boolean | undefined;
  /** Id of the scan: the same id of one target is scanned once, and another content under it is refused (409). Default: a new one. */
  readonly scan?: string | undefined;
  /** The container image that the target is (docs/producers.md). */
  readonly image?: JsonObject | undefined;
}

/** A scan to run, as `multipart/form-data`. The file name of a part is the path of its lockfile. */
export interface SubmitScanForm {
  /** Id of the target. */
  readonly target: string;
  /** Labels of the target, as `name=value`. */
  readonly label?: readonly string[] | undefined;
  /** These are only some of the lockfiles of the target. */
  readonly partial?: 'true' | 'false' | undefined;
  /** Id of the scan: the same id of one target is scanned once, and another content under it is refused (409). Default: a new one. */
  readonly scan?: string | undefined;
  /** Format of the lockfiles. Default: by their names. */
  readonly format?: string | undefined;
  /** The lockfiles. */
  readonly file: readonly string[];
}

/** A file that a lockfile is read together with. */
export interface SubmittedCompanion {
  /** Path relative to the folder of the lockfile. */
  readonly name: string;
  /** Its text. */
  readonly content?: string | undefined;
  /** Its content in Base64, instead of `content`. */
  readonly base64?: string | undefined;
}

/** A lockfile. */
export interface SubmittedFile {
  /** Path below the root of the target, with forward slashes. */
  readonly path: string;
  /** Its text. */
  readonly content?: string | undefined;
  /** Its content in Base64, instead of `content`. */
  readonly base64?: string | undefined;
  /** Name of the format. Default: by its name, then by its content. */
  readonly format?: string | undefined;
  /** Files that its format also reads, such as its manifest. */
  readonly companions?: readonly SubmittedCompanion[] | undefined;
}

/** A scan that waits for a worker. */
export interface SubmittedScan {
  /** Id of the scan. */
  readonly scan: string;
}

/** A source that `serve.sources` allows. */
export interface SubmittedSource {
  /** A file, or a repository. */
  readonly kind: 'url' | 'git';
  /** http or https URL. */
  readonly url: string;
  /** Branch or tag of a repository. Default: the default branch. */
  readonly ref?: string | undefined;
  /** Name of the file. Default: the last part of the URL. */
  readonly file?: string | undefined;
  /** Name of the format. */
  readonly format?: string | undefined;
}

/** Why a finding neither alerts nor fails a scan. */
export interface Suppressed {
  /** Id of the suppression. */
  readonly by: string;
  /** Where the suppression was written. */
  readonly source: 'configuration' | 'target' | 'command' | 'vex';
  /** Why it is suppressed. */
  readonly reason: string;
  /** Who decided it. */
  readonly author?: string | undefined;
  /** When the finding opens again. */
  readonly expires?: string | undefined;
}

/** A suppression for the whole fleet. */
export interface Suppression {
  /** Names it in reports. */
  readonly id: string;
  /** Where it was written. */
  readonly source: 'configuration' | 'target' | 'command' | 'vex';
  /** Why the findings do not matter. */
  readonly reason: string;
  /** Who decided it. */
  readonly author?: string | undefined;
  /** Id of the target; `*` matches any text. */
  readonly target?: string | undefined;
  readonly labels?: Labels | undefined;
  /** Ecosystem, name and versions of the package. */
  readonly package?: JsonObject | undefined;
  /** Names of the advisory. */
  readonly advisories?: readonly string[] | undefined;
  /** Name of the rule. */
  readonly rule?: string | undefined;
  /** Path of the lockfile; `*` matches any text. */
  readonly path?: string | undefined;
  /** From then on it suppresses nothing. */
  readonly expires?: string | undefined;
  /** Whether it is meant for all packages. */
  readonly all?: boolean | undefined;
  /** When a statement of a VEX document was made. */
  readonly statedAt?: string | undefined;
  /** Whether it is a statement of a VEX document that the findings count: it suppresses nothing. */
  readonly overrules?: boolean | undefined;
  /** Number of open findings that it suppresses. */
  readonly findings?: number | undefined;
  /** Whether it has expired. */
  readonly expired?: boolean | undefined;
  /** When it was added. */
  readonly addedAt?: string | undefined;
  /** Who removed it; absent while it has an effect. */
  readonly removed?: Removal | undefined;
}

/** Suppressions of the configuration and of commands. */
export interface SuppressionList {
  /** The suppressions. */
  readonly suppressions: readonly Suppression[];
}

/** A target in a list. */
export interface Target {
  /** Id of the target. */
  readonly target: string;
  readonly labels: Labels;
  /** Number of its lockfiles. */
  readonly lockfiles: number;
  /** Number of its packages. */
  readonly packages: number;
  /** Open findings by severity, without notes. */
  readonly open: Counts;
  /** When its newest judged scan was requested. */
  readonly requestedAt: string;
  /** Whether its last scan could not see everything. */
  readonly incomplete: boolean;
  /** Whether it has a package about which the service has not answered for longer than `watch.staleAfter`. */
  readonly stale: boolean;
}

/** Everything that is stored of a target. */
export interface TargetDetails {
  /** Id of the target. */
  readonly target: string;
  readonly summary?: Target | undefined;
  /** Its lockfiles, by path. */
  readonly lockfiles: readonly TargetLockfile[];
  readonly image?: TargetImage | undefined;
  /** Its last scans, newest first. */
  readonly history: readonly PastScan[];
  /** Its open findings, the worst first; at most 1,000. */
  readonly findings: readonly TrackedFinding[];
  /** Its newest deliveries. */
  readonly deliveries: readonly Delivery[];
  /** What the answer lacks because it cannot be read; absent for tokens of some targets. */
  readonly unreadable?: readonly string[] | undefined;
}

/** The container image that a target is, and the public image that it is built on. */
export interface TargetImage {
  /** When the scan that named it last was requested. */
  readonly requestedAt?: string | undefined;
  /** As it was named. */
  readonly reference?: string | undefined;
  /** Such as `linux/amd64`. */
  readonly platform?: string | undefined;
  /** Digest of its configuration. */
  readonly digest?: string | undefined;
  /** Number of its layers. */
  readonly layers?: number | undefined;
  readonly base?: BaseImage | undefined;
  readonly before?: BaseImage | undefined;
}

/** A page of targets. */
export interface TargetList {
  /** The entries of this page. */
  readonly targets: readonly Target[];
  /** Number of all entries that fit. */
  readonly total: number;
  /** Present when there are further entries: the value of `pageToken` for the next page. */
  readonly nextPageToken?: string | undefined;
  /** What the answer lacks because it cannot be read; absent for tokens of some targets. */
  readonly unreadable?: readonly string[] | undefined;
}

/** A lockfile of a target. */
export interface TargetLockfile {
  /** Path of the lockfile. */
  readonly path: string;
  /** SHA-256 of the content that was read last. */
  readonly sha256?: string | undefined;
  /** Key of its inventory. */
  readonly inventory?: string | undefined;
  readonly unread?: Unread | undefined;
}

/** A token of the API, without its secret. */
export interface Token {
  /** Id of the token. */
  readonly id: string;
  /** Name, for people. */
  readonly name: string;
  /** What it may do. */
  readonly role: 'read' | 'submit' | 'admin';
  /** Ids of the targets that it may see; `*` matches any text. */
  readonly targets: readonly string[];
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires; absent when it does not. */
  readonly expiresAt?: string | undefined;
  /** When it was used last, to the minute. */
  readonly usedAt?: string | undefined;
}

/** All tokens, by time of creation. */
export interface TokenList {
  /** The tokens. */
  readonly tokens: readonly Token[];
}

/** A finding of a target with its state. */
export interface TrackedFinding {
  /** State of the finding. */
  readonly status: 'open' | 'resolved';
  /** When it opened. */
  readonly openedAt: string;
  /** When its state changed last. */
  readonly changedAt: string;
  readonly finding: FindingBody;
}

/** The fleet on some days. */
export interface Trend {
  /** Days that were counted, oldest first. */
  readonly days: readonly DayCount[];
}

/** Why a file was not read. */
export interface Unread {
  /** Code of the reason. */
  readonly code: string;
  /** The reason. */
  readonly message: string;
}

/** A file that could not be read. */
export interface UnreadFile {
  /** Path. */
  readonly path: string;
  /** Reason. */
  readonly reason: string;
}

/** A VEX document. */
export interface VexDocument {
  /** Name of its file, for messages. */
  readonly path: string;
  /** Its text: JSON. */
  readonly text: string;
  /** Who imports it. Default: the caller, whom the record names in any case. */
  readonly author?: string | undefined;
}

/** A target of a schedule after its last reading. */
export interface WatchedTarget {
  /** Id of the target. */
  readonly target: string;
  readonly labels: Labels;
  readonly source: JsonObject;
  /** The run that read it last. */
  readonly run: string;
  /** When that run was due. */
  readonly due: string;
  /** When it was read. */
  readonly at: string;
  /** How the reading ended. */
  readonly ending: 'scanned' | 'unchanged' | 'failed';
  /** Id of the last scan that the schedule requested. */
  readonly scan?: string | undefined;
  /** When it was last read without a fault. */
  readonly readAt?: string | undefined;
  readonly failing?: SourceFault | undefined;
}

/** The places of a package in the fleet. */
export interface WhereAnswer {
  /** Purls of the versions that the query selects. */
  readonly versions: readonly string[];
  /** Number of targets that hold one. */
  readonly targets: number;
  /** Number of lockfiles that hold one. */
  readonly lockfiles: number;
  /** The places, by target and lockfile; those of `limit` lockfiles. */
  readonly places: readonly HeldPackage[];
  readonly otherVersions: OtherVersions;
  /** Names that contain the one that was asked for, when nothing was found. */
  readonly similar: readonly string[];
  /** Ecosystems in which the text is neither a version nor a range. */
  readonly notCompared: readonly string[];
  /** What the answer lacks because it cannot be read; absent for tokens of some targets. */
  readonly unreadable?: readonly string[] | undefined;
}

/** Parameters, request and answer of each method, by its id. */
export interface LockhoundMethods {
  /** What changed, by scan, newest first. */
  'lockhound.changes.list': {
    readonly params: {
      readonly since?: string | undefined;
      readonly target?: string | undefined;
      readonly label?: readonly string[] | undefined;
      readonly rule?: readonly string[] | undefined;
      readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
      readonly notes?: boolean | undefined;
      readonly fingerprint?: string | undefined;
      readonly pageSize?: number | undefined;
      readonly pageToken?: string | undefined;
    };
    readonly body: undefined;
    readonly response: ChangeList;
  };
  /** Deliveries of alerts, by their last change, newest first. */
  'lockhound.deliveries.list': {
    readonly params: {
      readonly state?: readonly ('waiting' | 'retrying' | 'held' | 'delivered' | 'failed')[] | undefined;
      readonly target?: string | undefined;
      readonly route?: string | undefined;
      readonly since?: string | undefined;
      readonly pageSize?: number | undefined;
      readonly pageToken?: string | undefined;
    };
    readonly body: undefined;
    readonly response: DeliveryList;
  };
  /** A delivery with its attempts. */
  'lockhound.deliveries.get': {
    readonly params: {
      readonly delivery: string;
    };
    readonly body: undefined;
    readonly response: DeliveryDetails;
  };
  /** Send deliveries again, those of one target in the order of its scans: the named ones, or those in a state. */
  'lockhound.deliveries.retry': {
    readonly params: {
      readonly delivery?: readonly string[] | undefined;
      readonly state?: readonly ('waiting' | 'retrying' | 'held' | 'delivered' | 'failed')[] | undefined;
      readonly target?: string | undefined;
      readonly route?: string | undefined;
      readonly since?: string | undefined;
    };
    readonly body: undefined;
    readonly response: RetriedDeliveries;
  };
  /** Resume a route that was stopped, and send what it held. */
  'lockhound.deliveries.resume': {
    readonly params: {
      readonly route: string;
    };
    readonly body: undefined;
    readonly response: ResumedRoute;
  };
  /** Changes, scans and deliveries as they happen (`text/event-stream`). `Last-Event-ID` continues after an event. */
  'lockhound.events.stream': {
    readonly params: {
      readonly topic?: readonly ('changes' | 'scans' | 'deliveries')[] | undefined;
      readonly target?: string | undefined;
    };
    readonly body: undefined;
    readonly response: undefined;
  };
  /** Findings of all targets, the worst first. */
  'lockhound.findings.list': {
    readonly params: {
      readonly target?: string | undefined;
      readonly label?: readonly string[] | undefined;
      readonly rule?: readonly string[] | undefined;
      readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
      readonly state?: 'open' | 'suppressed' | 'resolved' | 'all' | undefined;
      readonly package?: string | undefined;
      readonly advisory?: string | undefined;
      readonly ecosystem?: string | undefined;
      readonly direct?: boolean | undefined;
      readonly withoutGroups?: readonly string[] | undefined;
      readonly fixable?: boolean | undefined;
      readonly notes?: boolean | undefined;
      readonly since?: string | undefined;
      readonly search?: string | undefined;
      readonly orderBy?: 'severity' | 'changedAt' | 'target' | undefined;
      readonly skip?: number | undefined;
      readonly pageSize?: number | undefined;
      readonly pageToken?: string | undefined;
    };
    readonly body: undefined;
    readonly response: FindingList;
  };
  /** Numbers of findings that fit, for filters. */
  'lockhound.findings.count': {
    readonly params: {
      readonly target?: string | undefined;
      readonly label?: readonly string[] | undefined;
      readonly rule?: readonly string[] | undefined;
      readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
      readonly state?: 'open' | 'suppressed' | 'resolved' | 'all' | undefined;
      readonly package?: string | undefined;
      readonly advisory?: string | undefined;
      readonly ecosystem?: string | undefined;
      readonly direct?: boolean | undefined;
      readonly withoutGroups?: readonly string[] | undefined;
      readonly fixable?: boolean | undefined;
      readonly notes?: boolean | undefined;
      readonly since?: string | undefined;
      readonly search?: string | undefined;
    };
    readonly body: undefined;
    readonly response: FindingCounts;
  };
  /** One finding of a target, open or resolved. */
  'lockhound.findings.get': {
    readonly params: {
      readonly target: string;
      readonly fingerprint: string;
    };
    readonly body: undefined;
    readonly response: FleetFinding;
  };
  /** The findings that fit as a report of a scan: at most 50,000, with the packages of their targets. */
  'lockhound.findings.report': {
    readonly params: {
      readonly target?: string | undefined;
      readonly label?: readonly string[] | undefined;
      readonly rule?: readonly string[] | undefined;
      readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
      readonly state?: 'open' | 'suppressed' | 'resolved' | 'all' | undefined;
      readonly package?: string | undefined;
      readonly advisory?: string | undefined;
      readonly ecosystem?: string | undefined;
      readonly direct?: boolean | undefined;
      readonly withoutGroups?: readonly string[] | undefined;
      readonly fixable?: boolean | undefined;
      readonly notes?: boolean | undefined;
      readonly since?: string | undefined;
      readonly search?: string | undefined;
      readonly format?: string | undefined;
    };
    readonly body: undefined;
    readonly response: undefined;
  };
  /** The fleet in numbers. */
  'lockhound.fleet.get': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: Overview;
  };
  /** The fleet on each of the last days, oldest first. A worker counts it a few times a day. */
  'lockhound.fleet.trend': {
    readonly params: {
      readonly days?: number | undefined;
    };
    readonly body: undefined;
    readonly response: Trend;
  };
  /** The state of the whole deployment in words, as `lockhound health` shows it. Needs a token for all targets. */
  'lockhound.health.get': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: HealthVerdict;
  };
  /** Where the fleet holds a package. */
  'lockhound.packages.where': {
    readonly params: {
      readonly package: string;
      readonly range?: string | undefined;
      readonly ecosystem?: string | undefined;
      readonly label?: readonly string[] | undefined;
      readonly limit?: number | undefined;
    };
    readonly body: undefined;
    readonly response: WhereAnswer;
  };
  /** The versions of a package in the fleet: when each was first seen, and which targets hold it. */
  'lockhound.packages.versions': {
    readonly params: {
      readonly package: string;
      readonly ecosystem?: string | undefined;
    };
    readonly body: undefined;
    readonly response: PackageVersions;
  };
  /** Which targets and routes a new advisory about some versions would reach. Writes and sends nothing. */
  'lockhound.packages.simulate': {
    readonly params: {
      readonly package: string;
      readonly range?: string | undefined;
      readonly ecosystem?: string | undefined;
      readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
    };
    readonly body: undefined;
    readonly response: SimulatedAdvisory;
  };
  /** The queues of all shards together. */
  'lockhound.queues.list': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: QueueList;
  };
  /** Payloads that were rejected, newest first. */
  'lockhound.rejected.list': {
    readonly params: {
      readonly limit?: number | undefined;
    };
    readonly body: undefined;
    readonly response: RejectedList;
  };
  /** A rejected payload with all its data. */
  'lockhound.rejected.get': {
    readonly params: {
      readonly job: string;
      readonly id: string;
    };
    readonly body: undefined;
    readonly response: RejectedPayload;
  };
  /** Put a rejected payload back on its queue. */
  'lockhound.rejected.retry': {
    readonly params: {
      readonly job: string;
      readonly id: string;
    };
    readonly body: CorrectedPayload;
    readonly response: RetriedPayload;
  };
  /** Delete a rejected payload and its job. */
  'lockhound.rejected.drop': {
    readonly params: {
      readonly job: string;
      readonly id: string;
    };
    readonly body: undefined;
    readonly response: Empty;
  };
  /** Put all rejected payloads back on their queues, for example after an upgrade. */
  'lockhound.rejected.retryAll': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: RetriedPayloads;
  };
  /** Delete all rejected payloads and their jobs. */
  'lockhound.rejected.dropAll': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: DroppedPayloads;
  };
  /** Scans: queued and running ones first, then the newest. */
  'lockhound.scans.list': {
    readonly params: {
      readonly state?: readonly ('queued' | 'running' | 'concluded' | 'superseded' | 'failed')[] | undefined;
      readonly target?: string | undefined;
      readonly since?: string | undefined;
      readonly pageSize?: number | undefined;
      readonly pageToken?: string | undefined;
    };
    readonly body: undefined;
    readonly response: ScanList;
  };
  /** A scan with the deliveries of its changes. */
  'lockhound.scans.get': {
    readonly params: {
      readonly scan: string;
    };
    readonly body: undefined;
    readonly response: ScanDetails;
  };
  /** The report of a scan, for 15 minutes after it was judged. */
  'lockhound.scans.report': {
    readonly params: {
      readonly scan: string;
      readonly format?: string | undefined;
    };
    readonly body: undefined;
    readonly response: undefined;
  };
  /** Submit lockfiles for a scan: as JSON, or as `multipart/form-data` with the fields of `SubmitScan` and the lockfiles as files. Bodies may be compressed with gzip. */
  'lockhound.scans.submit': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: SubmitScan;
    readonly response: SubmittedScan;
  };
  /** Schedules with their last and next runs. */
  'lockhound.schedules.list': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: ScheduleList;
  };
  /** A schedule with its runs and targets. */
  'lockhound.schedules.get': {
    readonly params: {
      readonly schedule: string;
    };
    readonly body: undefined;
    readonly response: ScheduleDetails;
  };
  /** Add a schedule. Workers run it from now on. */
  'lockhound.schedules.add': {
    readonly params: {
      readonly replace?: boolean | undefined;
    };
    readonly body: NewSchedule;
    readonly response: Schedule;
  };
  /** Remove a schedule. Its targets and their findings stay. */
  'lockhound.schedules.remove': {
    readonly params: {
      readonly schedule: string;
    };
    readonly body: undefined;
    readonly response: Empty;
  };
  /** Stop the runs of a schedule until it is resumed. */
  'lockhound.schedules.pause': {
    readonly params: {
      readonly schedule: string;
    };
    readonly body: undefined;
    readonly response: Schedule;
  };
  /** Let a paused schedule run again. */
  'lockhound.schedules.resume': {
    readonly params: {
      readonly schedule: string;
    };
    readonly body: undefined;
    readonly response: Schedule;
  };
  /** Start a run now, also of a paused schedule. */
  'lockhound.schedules.run': {
    readonly params: {
      readonly schedule: string;
    };
    readonly body: undefined;
    readonly response: Empty;
  };
  /** Forget a target that no longer exists; its finding `unwatched` is resolved. */
  'lockhound.schedules.forget': {
    readonly params: {
      readonly schedule: string;
      readonly target: string;
    };
    readonly body: undefined;
    readonly response: Empty;
  };
  /** Who calls, and what they may do. */
  'lockhound.session.get': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: Session;
  };
  /** Sign in with a token: the answer sets a cookie for 8 hours. */
  'lockhound.session.create': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: SignIn;
    readonly response: Session;
  };
  /** Sign out. */
  'lockhound.session.delete': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: Empty;
  };
  /** Suppressions for the whole fleet, with the number of findings that each suppresses. */
  'lockhound.suppressions.list': {
    readonly params: {
      readonly removed?: boolean | undefined;
    };
    readonly body: undefined;
    readonly response: SuppressionList;
  };
  /** Suppress findings in the whole fleet. Targets are judged again soon. */
  'lockhound.suppressions.add': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: NewSuppression;
    readonly response: Suppression;
  };
  /** End a suppression that was added: its findings open again. */
  'lockhound.suppressions.remove': {
    readonly params: {
      readonly suppression: string;
      readonly reason?: string | undefined;
      readonly author?: string | undefined;
    };
    readonly body: undefined;
    readonly response: Suppression;
  };
  /** Apply a VEX document (OpenVEX, CycloneDX). A later version of a document replaces it. */
  'lockhound.suppressions.import': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: VexDocument;
    readonly response: ImportedVex;
  };
  /** Targets, those with the worst findings first. */
  'lockhound.targets.list': {
    readonly params: {
      readonly label?: readonly string[] | undefined;
      readonly search?: string | undefined;
      readonly worst?: 'critical' | 'high' | 'medium' | 'low' | 'none' | undefined;
      readonly incomplete?: boolean | undefined;
      readonly stale?: boolean | undefined;
      readonly orderBy?: 'worst' | 'target' | 'requestedAt' | undefined;
      readonly skip?: number | undefined;
      readonly pageSize?: number | undefined;
      readonly pageToken?: string | undefined;
    };
    readonly body: undefined;
    readonly response: TargetList;
  };
  /** Everything that is stored of a target, with its open findings. */
  'lockhound.targets.get': {
    readonly params: {
      readonly target: string;
    };
    readonly body: undefined;
    readonly response: TargetDetails;
  };
  /** The packages of a lockfile of a target, in the order of the file. */
  'lockhound.targets.inventory': {
    readonly params: {
      readonly target: string;
      readonly lockfile?: string | undefined;
      readonly search?: string | undefined;
      readonly direct?: boolean | undefined;
      readonly group?: string | undefined;
      readonly skip?: number | undefined;
      readonly pageSize?: number | undefined;
      readonly pageToken?: string | undefined;
    };
    readonly body: undefined;
    readonly response: Inventory;
  };
  /** Remove all that is stored of a target. */
  'lockhound.targets.forget': {
    readonly params: {
      readonly target: string;
    };
    readonly body: undefined;
    readonly response: ForgottenTarget;
  };
  /** Have the next refresh believe what the service no longer states: it was corrected, and not lost. Findings that rest on it are resolved. */
  'lockhound.targets.acceptCorrections': {
    readonly params: {
      readonly author: string;
    };
    readonly body: undefined;
    readonly response: AcceptedLosses;
  };
  /** What is stored of a target as a report of a scan: with notes and what is suppressed. */
  'lockhound.targets.report': {
    readonly params: {
      readonly target: string;
      readonly since?: string | undefined;
      readonly format?: string | undefined;
    };
    readonly body: undefined;
    readonly response: undefined;
  };
  /** Tokens of the API: role, targets, expiry and last use. */
  'lockhound.tokens.list': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: TokenList;
  };
  /** Create a token. Its text is shown once. */
  'lockhound.tokens.create': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: NewToken;
    readonly response: CreatedToken;
  };
  /** Revoke a token and the sessions of people who signed in with it. It is refused from a second later on. */
  'lockhound.tokens.revoke': {
    readonly params: {
      readonly token: string;
    };
    readonly body: undefined;
    readonly response: Empty;
  };
}
