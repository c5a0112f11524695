import { DescribeUserPoolDomainCommand, type CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';

/** The id of the user pool of this AWS account and region whose domain has the prefix. Undefined when no pool has it. */
export const poolOfDomainPrefix = async (client: CognitoIdentityProviderClient, prefix: string): Promise<string | undefined> =>
  // A domain that does not exist has an empty description.
  (await client.send(new DescribeUserPoolDomainCommand({ Domain: prefix }))).DomainDescription?.UserPoolId;
