import { Aws, Fn } from 'aws-cdk-lib';
import { CfnManagedLoginBranding, ManagedLoginVersion, type CfnUserPoolClient, type UserPoolDomain } from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { webmailCallbackPath } from '../../contract/deployment/webmail.ts';
import { cliCallbackUrls, consoleCallbackPath, mailScopes, ownClientRefreshDays, type deployedClientOutputs } from '../../contract/oauth/oauth.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { addAppClient } from './app-client.ts';
import { ImportedUserPool } from './imported-user-pool.ts';

export type HostedSignInProps = {
  readonly context: Pick<DeploymentContext, 'authDomainPrefix' | 'passkeys' | 'publicUrls'>;
  /** Web origins of the console. */
  readonly consoleOrigins: readonly string[];
  /** Web origin of the web mail; undefined without one. */
  readonly webmailOrigin: string | undefined;
};

/** The user pool with its hosted sign-in, and the app clients of the console, the web mail and the command line. */
export class HostedSignIn extends ImportedUserPool {
  /** Base URL of the hosted sign-in, without a slash at the end. */
  readonly authUrl: string;
  readonly consoleClient: CfnUserPoolClient;
  readonly webmailClient: CfnUserPoolClient | undefined;
  readonly cliClient: CfnUserPoolClient;

  constructor(scope: Construct, id: string, { context, consoleOrigins, webmailOrigin }: HostedSignInProps) {
    super(scope, id, { context });
    const domain = this.createDomain(context);
    this.authUrl = context.publicUrls.auth ?? domain.baseUrl();
    const { userPoolId } = this.pool;
    const consoleUrls = consoleOrigins.map((origin) => `${origin}${consoleCallbackPath}`);
    const { passkeys } = context;
    this.consoleClient = addAppClient(this, 'Console', userPoolId, { flow: 'code', passkeys, refreshDays: 1, callbackUrls: consoleUrls });
    this.webmailClient =
      webmailOrigin === undefined
        ? undefined
        : addAppClient(this, 'Webmail', userPoolId, {
            flow: 'code',
            passkeys,
            refreshDays: ownClientRefreshDays,
            callbackUrls: [`${webmailOrigin}${webmailCallbackPath}`],
            scopes: mailScopes,
          });
    this.cliClient = addAppClient(this, 'Cli', userPoolId, { flow: 'code', passkeys, refreshDays: ownClientRefreshDays, callbackUrls: cliCallbackUrls });
    if (passkeys) this.addStyles();
  }

  /** The ids of the app clients, by the names of their outputs. */
  get clientIds(): Readonly<Partial<Record<(typeof deployedClientOutputs)[number], string>>> {
    const webmail = this.webmailClient && { webmailClientId: this.webmailClient.ref };
    return { consoleClientId: this.consoleClient.ref, ...webmail, cliClientId: this.cliClient.ref };
  }

  /** Lets the hosted page return to a URL when a browser signed out, with the client of the command line. */
  allowSignOutPage(url: string): void {
    this.cliClient.logoutUrLs = [...(this.cliClient.logoutUrLs ?? []), url];
  }

  /** Gives each client Cognito's own style, without which the page of managed login does not open for it. */
  private addStyles(): void {
    for (const {
      node: { id },
      attrClientId,
    } of [this.consoleClient, this.cliClient, ...(this.webmailClient ? [this.webmailClient] : [])]) {
      new CfnManagedLoginBranding(this, `${id}Style`, { userPoolId: this.pool.userPoolId, clientId: attrClientId, useCognitoProvidedValues: true });
    }
  }

  /**
   * Creates the domain of the hosted sign-in. The prefix must be unique in the region. The default is a part of the
   * stack's id, which is unique, and constant while the stack exists.
   */
  private createDomain({ authDomainPrefix, passkeys }: HostedSignInProps['context']): UserPoolDomain {
    const partOfStackId = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
    return this.pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: authDomainPrefix ?? `postrider-${partOfStackId}` },
      // The classic page has no passkeys. The newer page has none for app clients without a style.
      managedLoginVersion: passkeys ? ManagedLoginVersion.NEWER_MANAGED_LOGIN : ManagedLoginVersion.CLASSIC_HOSTED_UI,
    });
  }
}
