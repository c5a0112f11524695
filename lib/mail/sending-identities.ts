import { ArnFormat, type Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { allowActions } from '../lambda/allow-actions.ts';

/** All identities of SES. Which ones there will be is unknown at deployment. */
export const allIdentitiesArn = (stack: Stack): string =>
  stack.formatArn({ service: 'ses', resource: 'identity', resourceName: '*', arnFormat: ArnFormat.SLASH_RESOURCE_NAME });

/** Allows managing single sender addresses, which are identities of SES. Listing has no resources. */
export const grantManageSenderAddresses = (stack: Stack, grantee: IGrantable): void => {
  allowActions(grantee, {
    actions: ['ses:CreateEmailIdentity', 'ses:GetEmailIdentity', 'ses:DeleteEmailIdentity'], resources: [allIdentitiesArn(stack)],
  });
  allowActions(grantee, { actions: ['ses:ListEmailIdentities'], resources: ['*'] });
};

/** Allows reading the AWS account's status at SES and its identities. These actions have no resources. */
export const grantReadSendingStatus = (grantee: IGrantable): void =>
  allowActions(grantee, { actions: ['ses:GetAccount', 'ses:ListEmailIdentities'], resources: ['*'] });

/**
 * Allows changing records of hosted zones, limited to the record types of mail. UPSERT is not allowed, so that a change
 * fails when a record differs from the one that was read. Zones are unknown at deployment, and listing zones has no
 * resources.
 */
export const grantManageDns = (stack: Stack, grantee: IGrantable): void => {
  const zones = stack.formatArn({
    service: 'route53', region: '', account: '', resource: 'hostedzone', resourceName: '*', arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  allowActions(grantee, { actions: ['route53:ListHostedZones'], resources: ['*'] });
  allowActions(grantee, { actions: ['route53:ListResourceRecordSets'], resources: [zones] });
  allowActions(grantee, {
    actions: ['route53:ChangeResourceRecordSets'],
    resources: [zones],
    conditions: {
      'ForAllValues:StringEquals': {
        'route53:ChangeResourceRecordSetsRecordTypes': ['CNAME', 'MX', 'SRV', 'TXT'],
        'route53:ChangeResourceRecordSetsActions': ['CREATE', 'DELETE'],
      },
    },
  });
};
