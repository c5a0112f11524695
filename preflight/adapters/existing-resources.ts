import { ApiGatewayV2Client, GetDomainNameCommand, NotFoundException } from '@aws-sdk/client-apigatewayv2';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient, DescribeUserPoolDomainCommand } from '@aws-sdk/client-cognito-identity-provider';
import { GetFunctionConcurrencyCommand, LambdaClient, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { GetHostedZoneCommand, NoSuchHostedZone, Route53Client } from '@aws-sdk/client-route-53';
import { DescribeActiveReceiptRuleSetCommand, SESClient } from '@aws-sdk/client-ses';
import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { valueOnError } from '../../core/aws/provider-errors.ts';
import { normalizeHost } from '../../core/runtime/public-dns.ts';
import { clientTimeouts } from '../../core/runtime/sdk-client.ts';
import { findStack } from '../../lib/stacks/find-stack.ts';

const newClients = () => ({
  cloudFormation: new CloudFormationClient(clientTimeouts),
  apis: new ApiGatewayV2Client(clientTimeouts),
  cognito: new CognitoIdentityProviderClient(clientTimeouts),
  lambda: new LambdaClient(clientTimeouts),
  ses: new SESClient(clientTimeouts),
  sending: new SESv2Client(clientTimeouts),
  route53: new Route53Client(clientTimeouts),
});

/** Existing resources of this AWS account and region, by name. A resource that does not exist is undefined. */
export const awsExistingResources = ({ cloudFormation, apis, cognito, lambda, ses, sending, route53 } = newClients()) => ({
  stackStatus: async (name: string): Promise<string | undefined> => (await findStack(cloudFormation, name))?.StackStatus,
  /** Whether API Gateway has a custom domain of this name. */
  async hasApiDomain(name: string) {
    return (await valueOnError(NotFoundException, undefined, apis.send(new GetDomainNameCommand({ DomainName: name })))) !== undefined;
  },
  /** The id of the user pool whose domain has this prefix. */
  async poolOfDomainPrefix(prefix: string) {
    // A domain that does not exist has an empty description.
    return (await cognito.send(new DescribeUserPoolDomainCommand({ Domain: prefix }))).DomainDescription?.UserPoolId;
  },
  /** SES's active receipt rule set, with the names of its rules. */
  async activeRuleSet() {
    const { Metadata: { Name: name } = {}, Rules: rules = [] } = await ses.send(new DescribeActiveReceiptRuleSetCommand({}));
    return name === undefined ? undefined : { name, rules: rules.map((rule) => rule.Name ?? '') };
  },
  /** The sum of the executions that are reserved for the Lambdas with these names. A Lambda that does not exist has none. */
  async reservedConcurrency(names: readonly string[]) {
    const found = await Promise.all(
      names.map((FunctionName) => valueOnError(ResourceNotFoundException, undefined, lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })))),
    );
    return found.reduce((sum, each) => sum + (each?.ReservedConcurrentExecutions ?? 0), 0);
  },
  /** SES's price plan in the region: `NONE`, `ESSENTIALS`, `PRO`, `ENTERPRISE`, or a newer one; `next` is that of the next month when it changes. */
  async pricePlan(): Promise<{ readonly current: string; readonly next?: string } | undefined> {
    const { CurrentPlan: current, NextPlan: next } = (await sending.send(new GetAccountCommand({}))).PricingAttributes ?? {};
    return current === undefined ? undefined : { current, ...(next && { next }) };
  },
  async hostedZone(id: string) {
    const found = await valueOnError(NoSuchHostedZone, undefined, route53.send(new GetHostedZoneCommand({ Id: id })));
    return (
      found && {
        name: normalizeHost(found.HostedZone?.Name ?? ''),
        isPrivate: found.HostedZone?.Config?.PrivateZone ?? false,
        nameServers: (found.DelegationSet?.NameServers ?? []).map(normalizeHost),
      }
    );
  },
});
