import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { deploymentTag } from '../../contract/deployment/sending.ts';
import { defaultSignInSender } from '../../contract/deployment/sign-in-mail.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';

/** ARN of an SES identity: a domain or an address. */
export const identityArn = (stack: Stack, resourceName: string): string =>
  stack.formatArn({ service: 'ses', resource: 'identity', resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });

/** ARN pattern of all SES identities, which are not known at deployment. */
export const allIdentitiesArn = (stack: Stack): string => identityArn(stack, '*');

/** The address from which people are invited by SES. */
export const signInMailSender = ({ signInMailFrom, domain }: Pick<DeploymentContext, 'signInMailFrom' | 'domain'>): string =>
  signInMailFrom ?? defaultSignInSender(domain);

/**
 * Allows inviting people by SES. In its sandbox, SES also checks the right to the recipient's identity, which can be any.
 */
export const grantInvite = (scope: Construct, grantee: IGrantable, context: Pick<DeploymentContext, 'signInMailFrom' | 'domain'>): void =>
  allowActions(grantee, {
    actions: ['ses:SendEmail'],
    resources: [allIdentitiesArn(Stack.of(scope))],
    conditions: { StringEquals: { 'ses:FromAddress': signInMailSender(context) } },
  });

/**
 * Allows reading all identities of SES, and registering identities with the tag of this deployment. Only identities with
 * the tag can be deleted and changed, so that those of other applications stay as they are.
 * @param changes the actions that change an identity.
 */
const grantManageIdentities = (scope: Construct, grantee: IGrantable, ...changes: string[]): void => {
  const resources = [allIdentitiesArn(Stack.of(scope))];
  const deployment = deploymentName(scope);
  allowActions(grantee, { actions: ['ses:GetEmailIdentity'], resources });
  // An identity is tagged while it is registered.
  allowActions(grantee, {
    actions: ['ses:CreateEmailIdentity', 'ses:TagResource'],
    resources,
    conditions: { StringEquals: { [`aws:RequestTag/${deploymentTag}`]: deployment }, 'ForAllValues:StringEquals': { 'aws:TagKeys': [deploymentTag] } },
  });
  allowActions(grantee, {
    actions: ['ses:DeleteEmailIdentity', ...changes],
    resources,
    conditions: { StringEquals: { [`aws:ResourceTag/${deploymentTag}`]: deployment } },
  });
};

/** Allows managing the domains that send mail, which are identities of SES. */
export const grantManageDomains = (scope: Construct, grantee: IGrantable): void => {
  grantManageIdentities(scope, grantee, 'ses:PutEmailIdentityMailFromAttributes', 'ses:PutEmailIdentityFeedbackAttributes');
};

/** Allows managing sender addresses, which are identities of SES. Listing is an action without resources. */
export const grantManageSenderAddresses = (scope: Construct, grantee: IGrantable): void => {
  grantManageIdentities(scope, grantee);
  allowActions(grantee, { actions: ['ses:ListEmailIdentities'], resources: ['*'] });
};

/** Allows reading the AWS account's status at SES and its identities. These actions have no resources. */
export const grantReadSendingStatus = (grantee: IGrantable): void =>
  allowActions(grantee, { actions: ['ses:GetAccount', 'ses:ListEmailIdentities'], resources: ['*'] });

/**
 * Allows changing records of hosted zones, limited to the record types of mail. UPSERT is not allowed, so that a change
 * fails when a record has changed since it was read. Listing zones is an action without resources.
 * @param zoneIds the zones whose records may be changed; undefined: all of the account. Records of all are read, so
 * that a domain is never taken for one of a parent zone.
 */
export const grantManageDns = (stack: Stack, grantee: IGrantable, zoneIds: readonly string[] | undefined): void => {
  const zoneArn = (id: string): string =>
    stack.formatArn({ service: 'route53', region: '', account: '', resource: 'hostedzone', resourceName: id, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });
  allowActions(grantee, { actions: ['route53:ListHostedZones'], resources: ['*'] });
  allowActions(grantee, { actions: ['route53:ListResourceRecordSets'], resources: [zoneArn('*')] });
  allowActions(grantee, {
    actions: ['route53:ChangeResourceRecordSets'],
    resources: (zoneIds ?? ['*']).map(zoneArn),
    conditions: {
      'ForAllValues:StringEquals': {
        'route53:ChangeResourceRecordSetsRecordTypes': ['CNAME', 'MX', 'SRV', 'TXT'],
        'route53:ChangeResourceRecordSetsActions': ['CREATE', 'DELETE'],
      },
    },
  });
};
