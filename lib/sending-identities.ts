import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';

const allow = (grantee: IGrantable, statement: { readonly actions: string[]; readonly resources: string[]; readonly conditions?: Record<string, Record<string, readonly string[]>> }): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(statement));
};

/** All identities of SES, since nobody knows beforehand which there will be. */
export const identities = (stack: Stack): string => stack.formatArn({ service: 'ses', resource: 'identity', resourceName: '*', arnFormat: ArnFormat.SLASH_RESOURCE_NAME });

/** Single sender addresses, as identities of SES. A list knows no resources. */
export const grantManageSenderAddresses = (stack: Stack, grantee: IGrantable): void => {
  allow(grantee, { actions: ['ses:CreateEmailIdentity', 'ses:GetEmailIdentity', 'ses:DeleteEmailIdentity'], resources: [identities(stack)] });
  allow(grantee, { actions: ['ses:ListEmailIdentities'], resources: ['*'] });
};

/** A look at how the AWS account stands with SES and what it may send from. Neither action knows resources. */
export const grantSeeSending = (grantee: IGrantable): void => allow(grantee, { actions: ['ses:GetAccount', 'ses:ListEmailIdentities'], resources: ['*'] });

/**
 * Writing records to hosted zones: of the types that mail needs, and by changes that hold only for what was found. Which zone holds a domain is not known
 * before somebody adds it, and the list of zones knows no resources.
 */
export const grantManageDns = (stack: Stack, grantee: IGrantable): void => {
  const zones = stack.formatArn({ service: 'route53', region: '', account: '', resource: 'hostedzone', resourceName: '*', arnFormat: ArnFormat.SLASH_RESOURCE_NAME });
  allow(grantee, { actions: ['route53:ListHostedZones'], resources: ['*'] });
  allow(grantee, { actions: ['route53:ListResourceRecordSets'], resources: [zones] });
  allow(grantee, {
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
