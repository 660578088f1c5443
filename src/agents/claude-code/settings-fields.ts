/**
 * The type that Claude Code 2.1.329 expects each field of a settings file to have. One field of another type makes it
 * ignore the whole file, hooks included, and `claude -p` doesn't say so. Fields that it forgives, and fields that may
 * have several types, aren't here.
 */
const FIELDS = {
  boolean: `
    allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp allowManagedHooksOnly allowManagedMcpServersOnly
    allowManagedPermissionRulesOnly allowNestedModelAccessUnderForceLogin alwaysThinkingEnabled autoCompactEnabled
    autoContinueAtUsageLimit autoDreamEnabled autoMemoryEnabled autoScrollEnabled autoUploadSessions
    awaySummaryEnabled bashEditDiffEnabled channelsEnabled clawdFileProgressEnabled disableAgentView disableAllHooks
    disableArtifact disableBundledSkills disableClaudeAiConnectors disableCommandPluginSources disableRemoteControl
    disableReplyCheck disableSideloadFlags disableSkillShellExecution disableWindowsBashCommandSplit disableWorkflows
    doneMeansMerged emojiCompletionEnabled enableAllProjectMcpServers enableArtifact enableWorkflows
    enforceAvailableModels fastMode fastModePerSessionOptIn fileCheckpointingEnabled forceRemoteSettingsRefresh
    idleCompaction includeCoAuthoredBy includeGitInstructions inputNeededNotifEnabled isolatePeerMachines
    precomputeCompactionEnabled prefersReducedMotion promptSuggestionEnabled remoteControlAtStartup respectGitignore
    respondToBashCommands responseComparisonEnabled showClearContextOnPlanAccept showMessageTimestamps
    showThinkingSummaries showTurnDuration skipDangerousModePermissionPrompt skipWebFetchPreflight
    skipWorkflowUsageWarning spinnerTipsEnabled switchModelsOnFlag syncClaudeAiPlugins syncClaudeAiSkills
    syntaxHighlightingDisabled terminalProgressBarEnabled terminalTitleFromRename todoFeatureEnabled
    totalTokensReminderAfterUserTurn verbose wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled
    wslInheritsWindowsSettings
  `,
  string: `
    $schema advisorModel agent apiKeyHelper attributionProject autoMemoryDirectory autoUpdatesChannel
    availableModelsMatch awsAuthRefresh awsCredentialExport claudeMd daemonColdStart defaultShell disableAutoMode
    feedbackDrafts gcpAuthRefresh language managedSourcesBehavior minimumVersion model otelHeadersHelper outputStyle
    parentSettingsBehavior plansDirectory pluginTrustMessage prUrlTemplate processWrapper proxyAuthHelper
    requiredMaximumVersion requiredMinimumVersion timeZone totalTokensReminder tui workflowSizeGuideline
  `,
  number: `
    cleanupPeriodDays desktopSessionCleanupPeriodDays feedbackSurveyRate skillListingBudgetFraction
    skillListingMaxDescChars totalTokensReminderBudget
  `,
  list: `
    allowedChannelPlugins allowedHttpHookUrls allowedMarketplaces allowedMcpServers availableModels
    blockedMarketplaces claudeMdExcludes companyAnnouncements deniedMcpServers deniedModels disabledMcpjsonServers
    enabledMcpjsonServers fallbackModel httpHookAllowedEnvVars pluginSuggestionMarketplaces sshConfigs
    strictKnownMarketplaces
  `,
  object: `
    additionalMarketplaces attributionProjectPolicy breakReminder enabledPlugins env extraKnownMarketplaces
    fileSuggestion managedMcpServers modelOverrides modelPicker modelPricing permissions pluginConfigs quietHours
    remote remoteTools sandbox skillOverrides spinnerVerbs voice xaaIdp
  `,
} as const;

type Kind = keyof typeof FIELDS;

const KINDS = Object.fromEntries(
  (Object.keys(FIELDS) as Kind[]).flatMap((kind) =>
    FIELDS[kind]
      .trim()
      .split(/\s+/u)
      .map((name) => [name, kind]),
  ),
) as Readonly<Record<string, Kind>>;

/** The first field whose type isn't the one that Claude Code expects; undefined: drwn knows of none. */
export function findOddField(
  settings: Readonly<Record<string, unknown>>,
): { name: string; expected: string } | undefined {
  for (const [name, value] of Object.entries(settings)) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (kind !== undefined && kindOf(value) !== kind)
      return { name, expected: `\`${name}\` to be ${kind === "object" ? "an" : "a"} ${kind}` };
  }
  return undefined;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}
