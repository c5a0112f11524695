import { Duration } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { accountPartitions, directoryPartitions, mailPartitions, secretPartition } from '../../contract/deployment/keys.ts';
import { downloadPath, uploadPath } from '../../contract/jmap/blob.ts';
import { jmapCrossOrigin, sessionPath, signOutPaths } from '../../contract/jmap/discovery.ts';
import { eventSourcePath } from '../../contract/jmap/push.ts';
import { accountQuota, sendLimits, type DeploymentContext, type QuotaContext, type SendLimitContext } from '../deployment-context.ts';
import { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import type { InboundMail } from '../mail/inbound-mail.ts';
import type { MailCleanup } from '../mail/mail-cleanup.ts';
import { allowReadingSendingRights, type OutboundMail } from '../mail/outbound-mail.ts';
import type { HostedSignIn } from '../sign-in/hosted-sign-in.ts';
import { Registration } from '../sign-in/registration.ts';
import { allOfAccounts, allowItems, each, ofAccounts, readActions, writeActions } from '../state/allow-items.ts';
import { allowObjects } from '../state/allow-objects.ts';
import type { Storage } from '../state/imported-storage.ts';
import { allowReadingPrincipals } from './allow-principals.ts';
import { BlobApi, downloadTimeout } from './blob-api.ts';
import { EventSourceWaits } from './event-source-waits.ts';
import { addForwardingConfirmation } from './forwarding-confirmation.ts';

export type JmapApiProps = {
  readonly context: QuotaContext &
    SendLimitContext &
    Pick<DeploymentContext, 'domain' | 'dynamicRegistration' | 'publicUrls' | 'deletedMailRetentionDays' | 'forwardOutside'>;
  /** Host name of the custom domain; undefined without one. */
  readonly hostName: string | undefined;
  readonly webSocketUrl: string;
  readonly storage: Storage;
  /** Removes raw messages that were stored for Emails which no commit created. */
  readonly mailCleanup: MailCleanup;
  readonly outboundMail: OutboundMail;
  /** Mails the links for addresses of forwardings. */
  readonly inboundMail: InboundMail;
  readonly userPool: HostedSignIn;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

/** The throttle of the authorization endpoint, which needs no token: many people of a firm sign in at the same time. */
const authorizationThrottle = { rate: 20, burst: 50 };

/**
 * The JMAP API: session, method calls, blobs, OAuth discovery and client registration, over an HTTP API that any web
 * origin may call.
 */
export class JmapApi extends Construct {
  readonly endpoint: HttpEndpoint;
  /** The API of the authorization endpoint: API Gateway's CORS holds for a whole API, and here there is none (RFC 9700 §2.6). */
  readonly authorization: HttpEndpoint;
  /** Base URL for clients, without a slash at the end. */
  readonly url: string;
  /** The Lambda for JMAP requests, over HTTP and over WebSocket. */
  readonly jmap: LambdaFunction;
  readonly blobs: BlobApi;
  /** The URL of uploads without the account's id. It is below the JMAP URL when that is a host name of the deployment. */
  readonly uploadUrl: string;
  /** The URL of downloads without the query. */
  readonly downloadUrl: string;
  /** The queues on which clients of the event source wait for changes. */
  readonly eventSourceWaits: EventSourceWaits;

  constructor(scope: Construct, id: string, props: JmapApiProps) {
    super(scope, id);
    const { context, hostName } = props;
    this.endpoint = new HttpEndpoint(this, 'Endpoint', {
      name: 'jmap',
      description: 'JMAP: session, method calls, blobs, discovery',
      throttle: { rate: 500, burst: 1000 },
      cors: {
        allowOrigins: ['*'],
        allowMethods: jmapCrossOrigin.methods.map((method) => CorsHttpMethod[method]),
        allowHeaders: [...jmapCrossOrigin.allowHeaders],
        exposeHeaders: [...jmapCrossOrigin.exposeHeaders],
        maxAge: Duration.seconds(jmapCrossOrigin.maxAge),
      },
    });
    this.authorization = new HttpEndpoint(this, 'Authorization', {
      name: 'authorization',
      description: 'OAuth: authorization endpoint',
      throttle: authorizationThrottle,
    });
    this.url = context.publicUrls.jmap ?? (hostName ? `https://${hostName}` : this.endpoint.api.apiEndpoint);
    this.eventSourceWaits = new EventSourceWaits(this, 'EventSourceWaits', this.endpoint);
    this.blobs = new BlobApi(this, 'Blobs', {
      uploads: this.addUploads(props),
      downloads: this.addDownloads(props),
      exposeHeaders: jmapCrossOrigin.exposeHeaders,
    });
    const isOneHost = context.publicUrls.jmap !== undefined || hostName !== undefined;
    const urlOf = (path: typeof uploadPath | typeof downloadPath): string => (isOneHost ? `${this.url}${path}` : this.blobs.urlOf(path));
    this.uploadUrl = urlOf(uploadPath);
    this.downloadUrl = urlOf(downloadPath);
    this.jmap = this.addJmap(props);
    this.addDiscovery(props, isOneHost ? this.url : this.authorization.api.apiEndpoint);
    const { storage, userPool, code } = props;
    new Registration(this, 'ClientRegistration', { context, endpoint: this.endpoint, storage, userPool, code });
    addForwardingConfirmation(this, { context, endpoint: this.endpoint, storage, code });
  }

  private mailEnvironment({ storage, userPool }: JmapApiProps): LambdaEnvironment {
    return { ...userPool.verification, directoryTable: storage.directoryTable.tableName, mailBucket: storage.mailBucket.bucketName, jmapUrl: this.url };
  }

  private addJmap(props: JmapApiProps): LambdaFunction {
    const { context, storage, mailCleanup, outboundMail, inboundMail, webSocketUrl, code } = props;
    const jmap = new LambdaFunction(this, 'Jmap', {
      code,
      name: 'jmap',
      description: 'JMAP: session, method calls over HTTP and WebSocket, event source',
      environment: {
        ...this.mailEnvironment(props),
        mailTable: storage.mailTable.tableName,
        accountQuota: accountQuota(context),
        deletedMailRetentionDays: String(context.deletedMailRetentionDays),
        sendingTable: storage.sendingTable.tableName,
        submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
        sendLimits: sendLimits(context),
        uploadUrl: this.uploadUrl,
        downloadUrl: this.downloadUrl,
        webSocketUrl,
        mailDomain: context.domain,
        inboundQueueUrl: inboundMail.inboundQueue.queue.queueUrl,
        forwardOutside: String(context.forwardOutside),
      },
      memory: 1024,
    });
    allowReadingPrincipals(jmap, storage.directoryTable);
    allowReadingSendingRights(jmap, storage.directoryTable);
    const { accounts, forwardings } = directoryPartitions;
    allowItems(jmap, storage.directoryTable, ['GetItem'], accounts, forwardings);
    allowItems(jmap, storage.directoryTable, ['ConditionCheckItem'], accounts);
    allowItems(jmap, storage.directoryTable, ['PutItem', 'DeleteItem'], forwardings);
    inboundMail.inboundQueue.queue.grant(jmap, 'sqs:SendMessage');
    const { listeners, webSocketConnections, webSocketFrames, unparsedMessages, destroyedMailDue } = mailPartitions;
    const ofClients = [listeners, webSocketConnections].map(each);
    allowItems(jmap, storage.mailTable, [...readActions, ...writeActions, 'ConditionCheckItem'], allOfAccounts, ...ofClients);
    allowItems(jmap, storage.mailTable, ['Query', 'PutItem'], each(webSocketFrames));
    allowItems(jmap, storage.mailTable, ['PutItem'], unparsedMessages, destroyedMailDue);
    // The secret of Web Push.
    allowItems(jmap, storage.mailTable, ['GetItem'], secretPartition);
    allowObjects(jmap, storage.mailBucket, ['GetObject'], 'messages', 'uploads', 'media', 'snapshots', 'search');
    allowObjects(jmap, storage.mailBucket, ['PutObject'], 'messages', 'uploads', 'media');
    mailCleanup.grantEnqueue(jmap);
    outboundMail.grantSubmitAndCancel(jmap);
    this.endpoint.addRoute(HttpMethod.GET, sessionPath, jmap);
    this.endpoint.addRoute(HttpMethod.POST, '/jmap', jmap);
    this.endpoint.addRoute(HttpMethod.GET, eventSourcePath, jmap);
    this.eventSourceWaits.addQueueUrls(jmap);
    return jmap;
  }

  private addUploads(props: JmapApiProps): LambdaFunction {
    const { storage, code } = props;
    const uploads = new LambdaFunction(this, 'Uploads', {
      code,
      name: 'uploads',
      description: 'JMAP: upload',
      environment: { ...this.mailEnvironment(props), mailTable: storage.mailTable.tableName, accountQuota: accountQuota(props.context) },
      memory: 1024,
    });
    allowReadingPrincipals(uploads, storage.directoryTable);
    // The octets that were uploaded, and the account's quota.
    const { log, uploads: uploadedOctets } = accountPartitions;
    allowItems(uploads, storage.mailTable, ['BatchGetItem'], ...ofAccounts(log, uploadedOctets));
    allowItems(uploads, storage.mailTable, ['UpdateItem'], ...ofAccounts(uploadedOctets));
    allowObjects(uploads, storage.mailBucket, ['PutObject'], 'uploads');
    return uploads;
  }

  private addDownloads(props: JmapApiProps): LambdaFunction {
    const { storage, concurrency, code } = props;
    const downloads = new LambdaFunction(this, 'Downloads', {
      code,
      name: 'downloads',
      description: 'JMAP: download',
      environment: { ...this.mailEnvironment(props), mailTable: storage.mailTable.tableName },
      memory: 1024,
      timeout: downloadTimeout,
      reservedConcurrency: concurrency.reserved.downloads,
    });
    allowReadingPrincipals(downloads, storage.directoryTable);
    allowItems(downloads, storage.mailTable, ['GetItem', 'UpdateItem'], each(mailPartitions.downloads));
    // Which Emails refer to a blob.
    const { log, email, blob } = accountPartitions;
    allowItems(downloads, storage.mailTable, ['BatchGetItem'], ...ofAccounts(email, log));
    allowItems(downloads, storage.mailTable, ['Query'], ...ofAccounts(blob));
    allowObjects(downloads, storage.mailBucket, ['GetObject'], 'messages', 'uploads', 'media');
    return downloads;
  }

  private addDiscovery({ context, userPool, code }: JmapApiProps, authorizationUrl: string): void {
    const discovery = new LambdaFunction(this, 'Discovery', {
      code,
      name: 'discovery',
      description: 'OAuth discovery documents and authorization endpoint, and 404 for unknown paths',
      environment: {
        ...userPool.verification,
        authUrl: userPool.authUrl,
        cliClientId: userPool.cliClient.ref,
        jmapUrl: this.url,
        authorizationUrl,
        authorizationApiId: this.authorization.api.apiId,
        dynamicRegistration: String(context.dynamicRegistration),
      },
      timeout: Duration.seconds(10),
    });
    userPool.allowSignOutPage(`${this.url}${signOutPaths.done}`);
    this.endpoint.addRoute(HttpMethod.GET, '/.well-known/{proxy+}', discovery);
    this.endpoint.addDefaultRoute(discovery);
    this.authorization.addDefaultRoute(discovery);
  }
}
